"""The words of a CLI about the end of a limit -> a time in UTC."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

__all__ = ["JUST_OVER", "LONGEST_WORDS", "from_epoch", "last_full_time", "later", "read_reset"]

# By their first letters: English, then Spanish, Portuguese, French, German and Italian where they differ.
MONTHS = {
    **dict.fromkeys(("jan", "ene", "gen"), 1),
    **dict.fromkeys(("feb", "fev", "fév"), 2),
    **dict.fromkeys(("mar", "mär"), 3),
    **dict.fromkeys(("apr", "abr", "avr"), 4),
    **dict.fromkeys(("may", "mai", "mag"), 5),
    **dict.fromkeys(("jun", "juin", "giu"), 6),
    **dict.fromkeys(("jul", "juil", "lug"), 7),
    **dict.fromkeys(("aug", "ago", "aoû"), 8),
    **dict.fromkeys(("sep", "set"), 9),
    **dict.fromkeys(("oct", "out", "okt", "ott"), 10),
    **dict.fromkeys(("nov",), 11),
    **dict.fromkeys(("dec", "dez", "déc", "dic"), 12),
}
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
PLACES = {
    **dict.fromkeys(("pst", "pdt", "pt", "pacific"), "America/Los_Angeles"),
    **dict.fromkeys(("mst", "mdt", "mountain"), "America/Denver"),
    **dict.fromkeys(("cst", "cdt", "central"), "America/Chicago"),
    **dict.fromkeys(("est", "edt", "et", "eastern"), "America/New_York"),
    **dict.fromkeys(("akst", "akdt"), "America/Anchorage"),
    **dict.fromkeys(("hst",), "Pacific/Honolulu"),
    **dict.fromkeys(("brt",), "America/Sao_Paulo"),
    **dict.fromkeys(("wet", "west"), "Europe/Lisbon"),
    **dict.fromkeys(("bst",), "Europe/London"),
    **dict.fromkeys(("cet", "cest", "mez", "mesz"), "Europe/Berlin"),
    **dict.fromkeys(("eet", "eest"), "Europe/Helsinki"),
    **dict.fromkeys(("msk",), "Europe/Moscow"),
    **dict.fromkeys(("ist",), "Asia/Kolkata"),
    **dict.fromkeys(("sgt",), "Asia/Singapore"),
    **dict.fromkeys(("hkt",), "Asia/Hong_Kong"),
    **dict.fromkeys(("kst",), "Asia/Seoul"),
    **dict.fromkeys(("jst",), "Asia/Tokyo"),
    **dict.fromkeys(("aest", "aedt"), "Australia/Sydney"),
    **dict.fromkeys(("nzst", "nzdt"), "Pacific/Auckland"),
}
# Words before a time that say that something ends then. CLIs also write them as keys: retryDelay, resets_at.
ENDS = re.compile(
    r"(?<!p)reset(?:s|ting)?|again|retry(?:ing)?|wait|until|available|access|renew(?:s|al|ed)?|refresh(?:es|ed)?|"
    r"replenish(?:es|ed)?|refill(?:s|ed)?|restored|restarts?|resum(?:es?|ing)|unlock(?:s|ed)?|unblock(?:s|ed)?|opens?|lift(?:s|ed)?|begins?|later|"
    r"returns?|starts|back|cool(?:ing)?[ -]?(?:down|off)|(?:window|period|cycle) ends|"
    r"(?:messages?|requests?|prompts?|calls?|continue|used?|work|chat|sen[dt]|more|made) (?:\w+ )?"
    r"(?:after|at|before|from|in)|"
    r"(?:limited|restricted|blocked|paused|suspended|locked|frozen|hold|unavailable)(?= for )|"
    r"possible|allowed|accepted|(?:continue|go on|proceed|carry on)(?: \w+ing)?|"
    r"réinitialis\w+|zurück\w+|restablec\w+|redefini\w+|将[在于]|將[在於]|请[在于]|請[在於]|重置|等待",
    re.IGNORECASE,
)
ANY_TIME = re.compile(
    r"\b(?:until|till|at|on|in|after|by|um|às|alle|a las|ends?|expires?|scheduled for|the next)\b|:(?= )|[。，、]",
    re.IGNORECASE,
)
BETWEEN = re.compile(
    r"(?:[\s:=~·∙,(\"'\\_>：，-]|(?:时间|時間|will|be|is|at|on|in|after|for|by|until|within|about|approximately|around|roughly|up|another|time|times|"
    r"stamp|timestamp|delay|access|again|to|try|trying|less|than|under|over|next|the|seconds|date|ms|from|ends|"
    r"à|às|a las|um|am|el|le|请|請)(?![a-z])){0,24}",
    re.IGNORECASE,
)
NOT_LONGER = r"(?![\d:]|[.,]\d)"
CLOCK = (
    r"(?=\d{1,2}(?:[:h]\d{2}| ?[ap]\.?m\b))(?P<hour>\d{1,2})(?:[:h](?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?)?"
    rf"(?: ?(?P<half>[ap])\.?m\b\.?|{NOT_LONGER})"
)
SHIFT = r"(?:utc|gmt)? ?[+-]\d{1,2}(?::?\d{2})?"
ZONE = (
    rf"(?: ?\((?P<place>[^()\n]{{1,60}})\)|,? (?P<region>[a-z]+/[a-z_/+-]+\d{{0,2}})| ?(?P<shift>{SHIFT})(?!\d)"
    rf"| ?(?P<utc>utc|gmt|z)\b| (?P<short>{'|'.join(PLACES)})\b| (?P<strange>(?-i:[A-Z]{{2,4}}T))\b)?"
)
AT = rf"(?:(?:,? (?:at |às |à |um |a las )?|T){CLOCK}{ZONE})?"
MONTH = rf"(?P<month>{'|'.join(MONTHS)})[a-zç]*\.?"
# «monthly» is no Monday
WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})(?:s|nes|rs?|ur)?(?:days?|tag)?(?![a-z])\.?"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
YEAR = r"(?P<year>\d{4})"
DATES = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        rf"{YEAR}[-/](?P<month>\d{{1,2}})[-/]{DAY}{AT}",
        rf"(?:{WEEKDAY},? )?{MONTH} {DAY}\b(?:,? {YEAR}\b)?{AT}",
        rf"(?:{WEEKDAY},? )?{DAY}\.?(?: de| of)? {MONTH}(?:,?(?: de)? {YEAR}\b)?{AT}",
        rf"(?:{YEAR}年 ?)?(?P<month>\d{{1,2}})月 ?{DAY}[日号](?: ?{CLOCK}{ZONE})?",
        rf"(?P<month>\d{{2}})-{DAY} {CLOCK}{ZONE}",
        rf"(?P<day>1[3-9]|2\d|3[01])/(?P<month>\d{{1,2}})/{YEAR}{AT}",
        rf"(?P<month>\d{{1,2}})/{DAY}/{YEAR}{AT}",
        rf"{DAY}\.(?P<month>\d{{1,2}})\.{YEAR}{AT}",
        rf"{WEEKDAY}\b{AT}",
        rf"(?P<relative>today|tonight|tomorrow){AT}",
        rf"(?P<relative>今[天日]|明[天日])(?: ?{CLOCK}{ZONE})?",
        rf"{CLOCK}{ZONE},? (?:on )?(?P<relative>today|tonight|tomorrow)\b",
        rf"{CLOCK}{ZONE},? (?:on )?(?:{WEEKDAY},? )?{MONTH} {DAY}\b(?:,? {YEAR}\b)?",
        rf"{CLOCK}{ZONE},? (?:on )?(?:{WEEKDAY},? )?{DAY}(?: of)? {MONTH}(?:,? {YEAR}\b)?",
        rf"{CLOCK}{ZONE},? (?:on )?{WEEKDAY}\b",
        rf"(?P<named>midnight|noon){ZONE}",
        rf"{CLOCK}{ZONE}",
        r"(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d) ?(?P<utc>utc|gmt|z)\b",
    )
)
FULL_TIME = re.compile(rf"{YEAR}[-/](?P<month>\d{{1,2}})[-/]{DAY}(?:T| ){CLOCK}{ZONE}", re.IGNORECASE | re.ASCII)
EPOCH = re.compile(r"(\d{13}|\d{10})(?!\d)")
BEHIND_A_BAR = re.compile(r"\|(\d{13}|\d{10})(?!\d)")
UNITS = {
    "ms|milliseconds?": 0.001,
    "seconds?|secs?|s|秒钟?|秒鐘": 1.0,
    "minutes?|mins?|m|分钟?|分鐘": 60.0,
    r"hours?|hrs?|h(?!\d\d\b)|小时|小時|時間": 3600.0,
    "days?|d|天|日間": 86400.0,
    "weeks?|w": 604800.0,
}
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TENS = {"fifteen": 15.0, "twenty": 20.0, "thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0, "ninety": 90.0}
COUNTS = {
    **dict.fromkeys(("half an", "half a"), 0.5),
    **dict.fromkeys(("a couple of", "couple of"), 2.0),
    **dict.fromkeys(("an", "a"), 1.0),
    **{word: float(count) for count, word in enumerate(_WORDS, 1)},
    **{f"{tens}-five": count + 5 for tens, count in _TENS.items() if tens != "fifteen"},
    **_TENS,
}
NUMBER = rf"\d{{1,3}}(?:,\d{{3}}){{1,2}}|\d{{1,9}}(?:\.\d{{1,9}})?|\b(?:{'|'.join(COUNTS)})(?= )"
# «10 déc.» is a date
NO_LETTER = "(?![a-zà-ÿ])"
ONE_PART = rf"(?:{NUMBER}) ?(?:more )?(?:{'|'.join(UNITS)}){NO_LETTER}"
DURATION = re.compile(rf"{ONE_PART}(?:,? ?(?:and )?{ONE_PART}){{0,5}}", re.IGNORECASE)
# A duration before these is the length of a window, not the time that is left of it.
LENGTH = re.compile(r"[ -](?:rolling )?(?:window|period|interval|cycle|limit|quota)s?\b", re.IGNORECASE)
PART = re.compile(rf"({NUMBER}) ?(?:more )?({'|'.join(UNITS)}){NO_LETTER}", re.IGNORECASE)
OF_ISO = re.compile(r"P(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d+)?)S)?)?\b")
# A time that is left may stand before the word: «14 minutes until reset».
BEFORE = re.compile(
    rf"({DURATION.pattern})(?: (?:remaining|left|to go|more))?(?: (?:until|till|before|for) (?:[\w'-]+ ){{0,3}}?"
    r"(?:resets?|renew|refresh|retry)| ?[后後]\W{0,2}(?:再|重))",
    re.IGNORECASE,
)
# Words that name a limit may say what is left of it without a word for its end.
REMAINING = re.compile(rf"({DURATION.pattern}) (?:left|remaining|to go)\b", re.IGNORECASE)
# Behind «in», hours and minutes are a time that is left: «in 0:45:00», «in 3:12».
LEFT = re.compile(r"(\d{1,3})[:h](\d{2})(?::(\d{2}))?(?![\d:m]| ?[ap]\.?m\b)", re.IGNORECASE)
IN = re.compile(r"(?:\bin|cool(?:ing)?[ -]?(?:down|off))[\s~:]*\Z", re.IGNORECASE)
# A number alone means seconds only behind these keys.
SECONDS = re.compile(
    r"(?:retry[ _-]after(?:[ _-](?:seconds|secs?|s))?|resets?[ _-](?:in|after)[ _-](?:seconds|secs?|s)|"
    r"seconds[ _-]until[ _-]reset)\W{1,4}(\d{1,9}(?:\.\d{1,9})?)(?! ?[a-z\d:/年-]|[.,]\d)",
    re.I,
)
TOMORROW = ("tomorrow", "明天", "明日")
OF_TIME = re.compile(r"(?: standard| daylight)? time\Z", re.IGNORECASE)
HERE = ("local", "your", "your local")
MILLISECONDS = re.compile(r"retry[ _-]?after[ _-]?ms\W{1,4}(\d{1,12})\b", re.I)
# The name of a limit by its hours; providers that have one write times without a zone, which are in that of Beijing.
WINDOW = re.compile(r"\b(\d{1,2})[ -]?(?:hours?\b|h\b|小时)", re.IGNORECASE)
OF_SERVERS = timezone(timedelta(hours=8))
LONGEST_WAIT = 366 * 86400
# CLIs print only the minute, so a time just past means today, not tomorrow.
JUST_OVER = timedelta(minutes=5)
FIRST_IN_MILLISECONDS = 10**11
LONGEST_WORDS = 4000


def from_epoch(value: object) -> datetime | None:
    """Read seconds or milliseconds since 1970; None if out of range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return None
    try:
        return datetime.fromtimestamp(value / 1000 if value >= FIRST_IN_MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def later(start: datetime, seconds: object) -> datetime | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= LONGEST_WAIT:
        return None
    return start + timedelta(seconds=seconds)


def read_reset(words: str, now: datetime, *, other_day: bool = True, anywhere: bool = False) -> datetime | None:
    """The first time that the words say something ends at; None if they say none, or one that cannot be.

    A time without a day is the next one, without a zone in the zone of `now`. `other_day` is False for a CLI that
    names the day unless it is today. `anywhere` is True for words that name a limit: any time in them is its end.
    """
    words = words[-LONGEST_WORDS:].replace("\\n", " ")
    said = _first_end(words, now, other_day, anywhere)
    window = WINDOW.search(words)
    most = timedelta(hours=int(window[1])) if window else None
    if said is None or most is None or said - now <= most:
        return said
    # a limit of five hours that ends in nine: the provider did not name the zone of its servers
    there = _first_end(words, now.astimezone(OF_SERVERS), other_day, anywhere)
    return there if there is not None and now <= there <= now + most else said


def _first_end(words: str, now: datetime, other_day: bool, anywhere: bool) -> datetime | None:
    if found := SECONDS.search(words):
        return later(now, float(found[1]))
    if found := MILLISECONDS.search(words):
        return later(now, int(found[1]) / 1000)
    if found := BEHIND_A_BAR.search(words):
        return _reachable(from_epoch(int(found[1])), now)
    if found := BEFORE.search(words):
        return later(now, _sum(found[1]))
    for place in _places(words, ANY_TIME if anywhere else ENDS):
        for read in (_read_epoch, _read_duration, _read_date):
            if (said := read(words, place, now, other_day)) is not None:
                return said
    remaining = REMAINING.search(words) if anywhere else None
    # «0 hours left» says that nothing is left, not when it comes back
    return later(now, left) if remaining and (left := _sum(remaining[1])) else None


def _places(words: str, before: re.Pattern[str]) -> Iterator[int]:
    """The places where a time can begin: behind each word that says that something ends."""
    for found in before.finditer(words):
        between = BETWEEN.match(words, found.end())
        yield between.end() if between else found.end()


def _read_epoch(words: str, place: int, now: datetime, other_day: bool) -> datetime | None:
    del other_day
    found = EPOCH.match(words, place)
    return _reachable(from_epoch(int(found[1])), now) if found else None


def _read_duration(words: str, place: int, now: datetime, other_day: bool) -> datetime | None:
    del other_day
    if (left := LEFT.match(words, place)) and IN.search(words[max(0, place - 20) : place]):
        hours, minutes, seconds = (int(part or 0) for part in left.groups())
        return later(now, hours * 3600 + minutes * 60 + seconds)
    if (iso := OF_ISO.match(words, place)) and any(iso.groups()):
        counts = (float(part or 0) for part in iso.groups())
        return later(now, sum(count * unit for count, unit in zip(counts, (86400, 3600, 60, 1), strict=True)))
    found = DURATION.match(words, place)
    return later(now, _sum(found[0])) if found and not LENGTH.match(words, found.end()) else None


def _sum(duration: str) -> float:
    return sum(_seconds(*part) for part in PART.findall(duration))


def _seconds(number: str, unit: str) -> float:
    count = COUNTS.get(number.lower()) or float(number.replace(",", ""))
    return count * next(each for names, each in UNITS.items() if re.fullmatch(names, unit, re.IGNORECASE))


def _read_date(words: str, place: int, now: datetime, other_day: bool) -> datetime | None:
    found = next((match for date in DATES if (match := date.match(words, place))), None)
    return _when(found.groupdict(), now, other_day) if found else None


def last_full_time(words: str, now: datetime) -> datetime | None:
    """The last date with a time in the words, which may stand before the word that says what ends."""
    found = [match.groupdict() for match in FULL_TIME.finditer(words)]
    return _when(found[-1], now, True) if found else None


Said = dict[str, str | None]


def _when(said: Said, now: datetime, other_day: bool) -> datetime | None:
    zone = _zone(said, now) if not said.get("strange") else None
    if zone is None:
        return None
    try:
        return _reachable(_day(said)(said, _clock(said, now.astimezone(zone)), now, other_day).astimezone(UTC), now)
    except (ValueError, OverflowError):
        return None


def _reachable(time: datetime | None, now: datetime) -> datetime | None:
    return time if time is not None and (time - now).total_seconds() <= LONGEST_WAIT else None


def _zone(said: Said, now: datetime) -> tzinfo | None:
    if said.get("utc"):
        return UTC
    name = said.get("shift") or said.get("place") or said.get("region") or said.get("short") or ""
    name = OF_TIME.sub("", name).strip()
    if not name or name.lower() in HERE:
        return now.tzinfo
    if name.upper() in ("UTC", "GMT", "Z", "COORDINATED UNIVERSAL"):
        return UTC
    if re.fullmatch(SHIFT, name, re.IGNORECASE):
        return _shifted(name)
    try:
        return ZoneInfo(PLACES.get(name.lower(), name))
    except (KeyError, ValueError, OSError):
        return None


def _shifted(shift: str) -> tzinfo | None:
    """«+0800», «GMT-3», «UTC+5:30»."""
    sign, digits = (-1 if "-" in shift else 1), re.sub(r"\D", "", shift)
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    return timezone(sign * timedelta(hours=hours, minutes=minutes)) if hours < 24 and minutes < 60 else None


def _clock(said: Said, now: datetime) -> datetime:
    """The said time on the day of `now`; midnight if only a day was said."""
    hour, half = int(said.get("hour") or 0), said.get("half")
    if said.get("named") == "noon":
        hour = 12
    if half:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of half a day")
        hour = hour % 12 + (12 if half in "pP" else 0)
    minute, second = int(said.get("minute") or 0), int(said.get("second") or 0)
    return now.replace(hour=hour, minute=minute, second=second, microsecond=0)


def _day(said: Said) -> Callable[[Said, datetime, datetime, bool], datetime]:
    if said.get("month"):
        return _on_date
    if said.get("weekday"):
        return _on_weekday
    return _on_relative if said.get("relative") else _on_next


def _on_date(said: Said, clock: datetime, now: datetime, other_day: bool) -> datetime:
    del other_day
    month_said, day = said["month"] or "", int(said["day"] or 0)
    month = int(month_said) if month_said.isdigit() else MONTHS[month_said.lower()]
    if year := said.get("year"):
        return clock.replace(year=int(year), month=month, day=day)
    return clock.replace(year=clock.year + (1 if month < now.month - 6 else 0), month=month, day=day)


def _on_weekday(said: Said, clock: datetime, now: datetime, other_day: bool) -> datetime:
    del other_day
    ahead = (WEEKDAYS.index((said["weekday"] or "").lower()) - clock.weekday()) % 7
    when = clock + timedelta(days=ahead)
    return when if when >= now - JUST_OVER else when + timedelta(days=7)


def _on_relative(said: Said, clock: datetime, now: datetime, other_day: bool) -> datetime:
    del now, other_day
    return clock + timedelta(days=1) if (said["relative"] or "").lower() in TOMORROW else clock


def _on_next(said: Said, clock: datetime, now: datetime, other_day: bool) -> datetime:
    # «midnight» is the end of the day, not its beginning
    rolls = other_day or bool(said.get("named"))
    return clock if clock >= now - JUST_OVER or not rolls else clock + timedelta(days=1)
