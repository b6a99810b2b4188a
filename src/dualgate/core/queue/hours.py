"""`22:00-07:00`, the time -> whether work is allowed now, and when that changes."""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta

_TIME = r"(?:[01]?\d|2[0-3]):[0-5]\d"
_HOURS = re.compile(rf"(?P<begin>{_TIME})\s*[-–]\s*(?P<end>{_TIME})")
DAY = timedelta(days=1)
LEGAL = "hours of the day such as 22:00-07:00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """Hours of the day in which jobs may run, by the clock of the machine; the end may be on the next day."""

    begin: time
    end: time

    def __str__(self) -> str:
        return f"{self.begin:%H:%M}-{self.end:%H:%M}"

    def contain(self, now: datetime) -> bool:
        at = now.time().replace(tzinfo=None)
        if self.begin < self.end:
            return self.begin <= at < self.end
        return at >= self.begin or at < self.end

    def next_begin(self, now: datetime) -> datetime:
        return _next(now, self.begin)

    def hold(self, moment: datetime, now: datetime) -> bool:
        """Whether a moment is in the hours that `now` is in.

        Both are compared as a clock on the wall shows them: its offset may have changed in the night.
        """
        at = now.replace(tzinfo=None)
        begin = _next(at, self.begin) - DAY
        return begin <= moment.replace(tzinfo=None) < begin + DAY


def read_hours(text: str) -> Hours:
    """Raises ValueError if the text does not name two different times of a day."""
    found = _HOURS.fullmatch(text.strip())
    if found is None:
        raise ValueError(LEGAL)
    begin, end = _time(found["begin"]), _time(found["end"])
    if begin == end:
        raise ValueError(LEGAL)
    return Hours(begin=begin, end=end)


def _time(text: str) -> time:
    hour, _, minute = text.partition(":")
    return time(int(hour), int(minute))


def _next(now: datetime, at: time) -> datetime:
    """The next moment with this time of day, in the zone of `now`, whose offset may change in the night."""
    day = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return day if day > now else day + DAY
