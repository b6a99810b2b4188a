"""The sentence of a CLI about the end of a limit -> a time in UTC."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# "resets 8:11pm (UTC)", "resets Jul 31, 2am (Asia/Tokyo)", "try again at 8:03 PM", "again at Nov 20th, 2026 9:51 AM"
RESET = re.compile(
    r"\b(?:resets|again)(?: at| on)? "
    rf"(?:(?P<month>{'|'.join(MONTHS)})[a-z]*\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?"
    r"(?:,? (?P<year>\d{4}))?(?:,| at)? )?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))? ?(?P<half>[ap])m\b"
    r"(?: \((?P<zone>[^()\n]+)\))?",
    re.IGNORECASE | re.ASCII,
)
# CLIs print only the minute, so a time just past means today, not tomorrow.
JUST_OVER = timedelta(minutes=5)
FIRST_IN_MILLISECONDS = 10**11


def from_epoch(value: object) -> datetime | None:
    """Read seconds or milliseconds since 1970; None if out of range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return None
    try:
        return datetime.fromtimestamp(value / 1000 if value >= FIRST_IN_MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def read_reset(sentence: str, now: datetime, *, other_day: bool = True) -> datetime | None:
    """A time without a day is the next one, without a zone in the zone of `now`.

    `other_day` is False for a CLI that names the day unless it is today.
    """
    said = RESET.search(sentence)
    zone = _zone(said["zone"], now) if said else None
    if said is None or zone is None:
        return None
    try:
        return _nearest(said, now.astimezone(zone), other_day).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _zone(name: str | None, now: datetime) -> tzinfo | None:
    if name is None:
        return now.tzinfo
    try:
        return UTC if name.upper() == "UTC" else ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def _nearest(said: re.Match[str], now: datetime, other_day: bool) -> datetime:
    if not 1 <= int(said["hour"]) <= 12:
        raise ValueError("no hour of half a day")
    hour = int(said["hour"]) % 12 + (12 if said["half"] in "pP" else 0)
    clock = now.replace(hour=hour, minute=int(said["minute"] or 0), second=0, microsecond=0)
    if said["month"] is None:
        return clock if clock >= now - JUST_OVER or not other_day else clock + timedelta(days=1)
    month, day = MONTHS.index(said["month"].lower()) + 1, int(said["day"])
    if said["year"] is not None:
        return clock.replace(year=int(said["year"]), month=month, day=day)
    year = now.year + (1 if month < now.month - 6 else 0)
    return clock.replace(year=year, month=month, day=day)
