"""text -> AmendmentRequest, read strictly; AmendmentRequest, LoopState -> Target or Refusal, before any review."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from enum import StrEnum

from dualgate.core.said.patches import Patch, Unfit, apply_patch, read_patch
from dualgate.core.said.whole_function import WholeFunction, put_function, read_function
from dualgate.core.values.amendments import Amendment, AmendmentOutcome, AmendmentRequest, accepted
from dualgate.core.values.case_names import function_of, own_name
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import SEPARATOR, CaseResult, short_id
from dualgate.core.values.vocabulary import Amend, Phase

OPENING, CLOSING = "---TEST_AMENDMENT---", "---END_TEST_AMENDMENT---"
PATCH_KEY, FUNCTION_KEY = "PATCH", "FUNCTION"
LONGEST = 1 << 18
REASON_LENGTH = 500
# models write code under PATCH and diffs under FUNCTION: what stands there decides
_CODE = re.compile(r"\s*(?:@\w|def |async def |class |import |from )")
_DIFF = re.compile(r"--- |\+\+\+ |diff |index |@@ ")
MAY_AMEND = frozenset({Phase.GREEN, Phase.REFACTOR})


class Field(StrEnum):
    TEST_ID = "TEST_ID"
    REASON = "REASON"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request is refused; `request` holds its readable parts."""

    reasons: tuple[str, ...]
    request: AmendmentRequest = field(default_factory=AmendmentRequest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The test to amend: a function with all its cases, in one file."""

    request: AmendmentRequest
    patch: Patch | WholeFunction
    function: str

    def changed(self, text: str) -> str | Unfit:
        """The file of the test with the change."""
        return apply_patch(self.patch, text) if isinstance(self.patch, Patch) else put_function(self.patch, text)

    def with_diff(self, before: str, after: str) -> "Target":
        """The same change with the diff that a whole function makes, for people and reviewers."""
        if not self.request.code:
            return self
        old, new = (text.replace("\r", "").split("\n") for text in (before, after))
        diff = unified_diff(old, new, f"a/{self.patch.path}", f"b/{self.patch.path}", lineterm="")
        return replace(self, request=replace(self.request, diff="\n".join(diff), code=""))

    def holds(self, result: CaseResult) -> bool:
        return self.names(result.id)

    def names(self, test: str) -> bool:
        """Whether an id is that of the test, or of one of its cases."""
        return function_of(test) == self.function


def read_amendment(text: str) -> AmendmentRequest | Refusal | None:
    """The last complete request of an answer, or None; a malformed request is refused."""
    body = _last_block(text[-LONGEST:].split("\n"))
    if body is None:
        return None
    keys = (f"{PATCH_KEY}:", f"{FUNCTION_KEY}:")
    at = next((n for n, line in enumerate(body) if line.strip() in keys), len(body))
    values, problems = _fields(body[:at])
    change = _unfenced(body[at + 1 :])
    is_code = _is_code(change, is_expected=at < len(body) and body[at].strip() == keys[1])
    text = "\n".join(change)
    patch = None if is_code else read_patch(text)
    missing = [f"{name} is missing or empty" for name in Field if not values.get(name)]
    unread = [patch.reason] if isinstance(patch, Unfit) else []
    request = AmendmentRequest(
        test_id=values.get(Field.TEST_ID, ""),
        reason=values.get(Field.REASON, "")[:REASON_LENGTH],
        **{"code" if is_code else "diff": text},
    )
    found = (*problems, *missing, *unread)
    return Refusal(reasons=found, request=request) if found else request


def weigh_request(request: AmendmentRequest, state: LoopState) -> Target | Refusal:
    """Check a request before a reviewer or a person is asked."""
    reasons = tuple(obstacles(state))
    cases = _cases(request.test_id, state.proof)
    if reasons or not cases:
        unknown = () if reasons else (_why_unknown(request.test_id, state.proof),)
        return Refusal(reasons=(*reasons, *unknown), request=request)
    function = function_of(cases[0].id)
    if function in waiting_functions(state):
        reason = (
            f"the request to amend {request.test_id} is already waiting for a person: continue with the test as it is"
        )
        return Refusal(reasons=(reason,), request=request)
    patch = _change(request, cases[0])
    if isinstance(patch, Unfit):
        return Refusal(reasons=(patch.reason,), request=request)
    if patch.path != cases[0].file:
        reason = f"the patch changes {patch.path}, and the test is in {cases[0].file}: nothing else may change"
        return Refusal(reasons=(reason,), request=request)
    return Target(request=request, patch=patch, function=function)


def amendments_left(state: LoopState) -> int:
    """The number of amendments still allowed in this session."""
    made = len(accepted(state.amendments))
    return 0 if state.limits.amend is Amend.NEVER else max(0, state.limits.amendments - made)


def waiting(state: LoopState) -> tuple[Amendment, ...]:
    """The requests that wait for a person."""
    return tuple(each for each in state.amendments if each.outcome is AmendmentOutcome.WAITING)


def waiting_functions(state: LoopState) -> frozenset[str]:
    """The tests that these requests are about."""
    return frozenset(function_of(c.id) for each in waiting(state) for c in _cases(each.request.test_id, state.proof))


def person_needed(state: LoopState) -> str:
    """The question to a person; empty if no request waits."""
    asked = (f"{each.request.test_id} is wrong ({each.request.reason})" for each in waiting(state))
    return " and ".join(f"a person must say whether {each}" for each in asked)


def _change(request: AmendmentRequest, case: CaseResult) -> Patch | WholeFunction | Unfit:
    if not request.code:
        return read_patch(request.diff)
    return read_function(request.code, case.file, _scope(case))


def _scope(case: CaseResult) -> tuple[str, ...]:
    """The classes of a test and its function."""
    return tuple(function_of(own_name(case)).split(SEPARATOR))


def _is_code(lines: Sequence[str], *, is_expected: bool) -> bool:
    """Whether the lines are a function rather than a diff."""
    if not lines:
        return False
    return not _DIFF.match(lines[0]) if is_expected else _CODE.match(lines[0]) is not None


def _last_block(lines: Sequence[str]) -> list[str] | None:
    opened, body = None, None
    for number, line in enumerate(lines):
        word = line.rstrip(" \t\r")
        if word == OPENING:
            opened = number
        elif word == CLOSING and opened is not None:
            body, opened = [each.rstrip("\r") for each in lines[opened + 1 : number]], None
    return body


def _fields(lines: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    values: dict[str, str] = {}
    problems: list[str] = []
    for line in filter(str.strip, lines):
        key, _, value = (part.strip() for part in line.partition(":"))
        if key not in tuple(Field):
            problems.append(f"{line.strip()[:80]!r} is not one of TEST_ID, REASON, PATCH, FUNCTION")
        elif key in values:
            problems.append(f"{key} is given twice")
        values.setdefault(key, "" if value.startswith("<") and value.endswith(">") else value)
    return values, problems


def _unfenced(lines: Sequence[str]) -> Sequence[str]:
    """The lines without a code fence around them."""
    kept = list(lines)
    while kept and not kept[0].strip():
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    is_fenced = len(kept) > 1 and kept[0].startswith("```") and kept[-1].strip() == "```"
    return kept[1:-1] if is_fenced else kept


def obstacles(state: LoopState) -> Iterator[str]:
    """Why no test can be amended now."""
    limits = state.limits
    if state.phase not in MAY_AMEND:
        yield f"tests are amended in GREEN and REFACTOR, not in {state.phase}"
    if limits.amend is Amend.NEVER:
        yield "no test may be amended in this run (amend = never)"
    elif not amendments_left(state):
        yield f"the limit of amended tests is reached (amendments = {limits.amendments})"
    if not state.proof.red_tree:
        yield "the tree that RED was proven on is unknown"


def _cases(name: str, proof: Proof) -> list[CaseResult]:
    """The proven cases with this name: an id, with or without its suite and its parameters."""
    return [result for result in proof.proven or () if result.file and _has_name(result, name, proof)]


def _has_name(result: CaseResult, name: str, proof: Proof) -> bool:
    short = short_id(result.id, proof.suites)
    return name in (result.id, short, function_of(result.id), function_of(short))


def _why_unknown(name: str, proof: Proof) -> str:
    if any(_has_name(result, name, proof) for result in proof.proven or ()):
        return f"{name!r} is an example in a source or a document; only a person can change it, while the run is paused"
    return f"there is no proven test {name!r}"
