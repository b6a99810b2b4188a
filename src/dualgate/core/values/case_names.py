"""Test id -> the test's own name, its function, and the part that is the same in every run.

An id is `suite::file::class::function[parameters]`, as its runner writes it. Parameters may contain anything, even
`::`, `[` and line breaks.
"""

import re
from collections.abc import Iterable
from typing import Protocol

from dualgate.core.values.suite import CaseResult

START, END = r"(?<![0-9A-Za-z])", r"(?![0-9A-Za-z])"
PLACE = re.compile(r"(?<![0-9A-Za-z])line:\d+,column:\d+(?![0-9A-Za-z])")
"""The place of an example in a text, by which Sybil names it."""
# the order matters: a path can contain times, a time contains numbers
VARYING = (
    (PLACE, "PLACE"),
    (re.compile(r"(/private)?(/var/folders|/var/tmp|/tmp)/[^\s'\",;\]]*"), "TEMP"),
    (re.compile(rf"{START}[0-9a-f]{{8}}-?([0-9a-f]{{4}}-?){{3}}[0-9a-f]{{12}}{END}", re.IGNORECASE), "UUID"),
    (re.compile(r"\d{4}-\d\d-\d\d([T _-]\d\d[:.-]?\d\d([:.-]?\d\d([.,]\d+)?)?)?(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(rf"{START}\d{{1,2}}:\d\d(:\d\d([.,]\d+)?)?{END}"), "TIME"),
    (re.compile(rf"{START}0x[0-9a-f]+{END}", re.IGNORECASE), "ADDRESS"),
    (re.compile(rf"{START}[0-9a-f]{{16,}}{END}", re.IGNORECASE), "VALUE"),
    (re.compile(rf"{START}(\d+\.\d{{6,}}(e-?\d+)?|\d{{10,}}(\.\d+)?){END}", re.IGNORECASE), "VALUE"),
)
PARAMETRISED = re.compile(r"(.*?(?:^|::)[^\[\]/:]+)\[.*\]", re.DOTALL)
# names of functions that no sentence contains by chance: test_adds, adds_two, TestAdds, testAdds
DISTINCTIVE = re.compile(r"\w*[^\W_]_+[^\W_]\w*|[Tt]est[A-Z0-9]\w*")
HOLDS_NAME = re.compile(r"[_`\"']|[Tt]est")
WITHIN = " > "
"""Between the titles of a group and of a test in it."""
QUOTES = ("`", '"', "'")
QUOTED = re.compile(r"(?P<mark>[`\"'])(?P<title>.+?)(?P=mark)")
DOTTED = re.compile(r"[\w$]+(\.[\w$]+)+")


def stable(name: str) -> str:
    """Replace times, addresses, random values and temporary paths in an id, so that it is the same in every run."""
    for pattern, mark in VARYING:
        name = pattern.sub(mark, name)
    return name


def is_placed(name: str) -> bool:
    """Whether an id names a test by its place, which moves with every line above it."""
    return "line:" in name and PLACE.search(name) is not None


def function_of(name: str) -> str:
    """Return the id without its parameters."""
    found = PARAMETRISED.fullmatch(name)
    return found[1] if found else name


def last_part(function: str) -> str:
    """The name of a function without its suite, file and classes."""
    return function.rpartition("::")[2]


class Named(Protocol):
    """A criterion of a specification, or its state in a session."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...


def names(result: CaseResult, criterion: Named) -> bool:
    """Whether a test is linked to a criterion: it names it, or the criterion's text names the test.

    A test names AC-1 in its own name or its docstring, as `ac1`, `ac_1` or `AC-1`.
    """
    return _names_id(result, criterion.id) or _is_named_in(criterion.text, result)


def id_parts(criterion: str) -> tuple[str, ...]:
    """The letters and numbers of an id. Ids with the same parts are one id: AC-1, AC1, ac_01. AC-1.1 is not AC-11."""
    return tuple(part.lstrip("0") for part in re.findall(r"[^\W\d_]+|[0-9]+", criterion.lower()))


def _names_id(result: CaseResult, criterion: str) -> bool:
    parts = id_parts(criterion)
    if not any(max(parts, key=len, default="") in text.lower() for text in (result.id, result.doc)):
        return False  # most tests name no criterion, and searching them all takes long
    pattern = r"[-_. ]?".join(part if part.isalpha() else f"0*{part}" for part in parts)
    wanted = re.compile(rf"(?<![a-z0-9])(?:test)?{pattern}(?![0-9])")
    return any(wanted.search(text.lower()) for text in (own_name(result), result.doc))


def _is_named_in(text: str, result: CaseResult) -> bool:
    """Whether a text contains the test's own function, or its title without those of the groups around it, as a word.

    A name of several words or with signs must be quoted, and so must the dotted name of a doctest.
    """
    if not HOLDS_NAME.search(text):
        return False
    function = last_part(function_of(own_name(result))).strip()
    title = function.rpartition(WITHIN)[2]
    if title == function:
        return _is_word_of(text, function) or _ends_with_quoted(text, function)
    return _is_word_of(text, function) or _is_word_of(text, title)


def _ends_with_quoted(text: str, name: str) -> bool:
    """Whether a text quotes a title of several words at the end of a name.

    TAP of mocha and XML of jest-junit put the titles of groups before that of a test, and only a blank between them.
    """
    return " " in name and any(
        " " in found["title"] and name.endswith(f" {found['title']}") for found in QUOTED.finditer(text)
    )


def _is_word_of(text: str, name: str) -> bool:
    if not name or name not in text:
        return False
    if DISTINCTIVE.fullmatch(name):
        return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
    is_long = " " in name or DISTINCTIVE.search(name) or DOTTED.fullmatch(name)
    return bool(is_long) and any(f"{mark}{name}{mark}" in text for mark in QUOTES)


def own_name(result: CaseResult) -> str:
    """Return class, function and parameters, without the suite and the file."""
    parts = result.id.split("::")
    for place, part in enumerate(parts[:-1], start=1):
        if part and f"/{result.file}".endswith(f"/{part}"):
            return "::".join(parts[place:])
    *leading, last = _outside_brackets(result.id)
    return "::".join([*filter(None, map(_class_name, leading[1:])), _in_module(last, result.file)])


def _in_module(name: str, file: str) -> str:
    """Classes and function of a name in which unittest writes them with points behind their module.

    A test that a class inherits may be in another file than its module is: modules begin with small letters.
    """
    function, bracket, parameters = name.partition("[")
    if not file.endswith(".py") or not DOTTED.fullmatch(function):
        return name
    parts = function.split(".")
    path = "." + file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    lengths = range(len(parts) - 1, 0, -1)
    found = next((n for n in lengths if path.endswith("." + ".".join(parts[:n]))), None)
    if found is None:
        found = next((n for n, part in enumerate(parts[:-1]) if part[:1].isupper()), len(parts) - 1)
    return "::".join(parts[found:]) + bracket + parameters


def _outside_brackets(name: str) -> list[str]:
    function = function_of(name)
    *leading, last = function.split("::")
    return [*leading, last + name[len(function) :]]


def _class_name(part: str) -> str:
    """Return the class in a part between suite and function; empty for a path or module."""
    if DOTTED.fullmatch(part):
        last = part.rpartition(".")[2]
        return last if last[:1].isupper() else ""
    return "" if "/" in part and " " not in part else part


def functions(ids: Iterable[str]) -> frozenset[str]:
    """Return the functions of those tests that have parameters."""
    return frozenset(function for name in map(stable, ids) if (function := function_of(name)) != name)


def about_test(name: str, sentences: Iterable[str]) -> str:
    """The first of some sentences that names the function of a test; empty if none does."""
    own = re.escape(last_part(function_of(name)))
    return next((each for each in sentences if re.search(rf"(?<!\w){own}(?!\w)", each)), "")
