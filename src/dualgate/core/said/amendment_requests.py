"""text -> AmendmentRequest, read strictly; AmendmentRequest, LoopState -> Target or Refusal, before any review."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.said.patches import Patch, Unfit, read_patch
from dualgate.core.values.amendments import Amendment, AmendmentOutcome, AmendmentRequest, accepted
from dualgate.core.values.case_names import function_of
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseResult, short_id
from dualgate.core.values.vocabulary import Amend, Phase

OPENING, CLOSING = "---TEST_AMENDMENT---", "---END_TEST_AMENDMENT---"
PATCH_KEY = "PATCH"
LONGEST = 1 << 18
REASON_LENGTH = 500
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
    patch: Patch
    function: str

    def holds(self, result: CaseResult) -> bool:
        return function_of(result.id) == self.function


def read_amendment(text: str) -> AmendmentRequest | Refusal | None:
    """The last complete request of an answer, or None; a malformed request is refused."""
    body = _last_block(text[-LONGEST:].split("\n"))
    if body is None:
        return None
    at = next((n for n, line in enumerate(body) if line.strip() == f"{PATCH_KEY}:"), len(body))
    values, problems = _fields(body[:at])
    diff = "\n".join(_unfenced(body[at + 1 :]))
    patch = read_patch(diff)
    missing = [f"{name} is missing or empty" for name in Field if not values.get(name)]
    unread = [patch.reason] if isinstance(patch, Unfit) else []
    request = AmendmentRequest(
        test_id=values.get(Field.TEST_ID, ""), reason=values.get(Field.REASON, "")[:REASON_LENGTH], diff=diff
    )
    found = (*problems, *missing, *unread)
    return Refusal(reasons=found, request=request) if found else request


def weigh_request(request: AmendmentRequest, state: LoopState) -> Target | Refusal:
    """Check a request before a reviewer or a person is asked."""
    reasons = tuple(_obstacles(state))
    cases = _cases(request.test_id, state.proof)
    patch = read_patch(request.diff)
    if reasons or not cases or isinstance(patch, Unfit):
        unknown = () if cases or reasons else (f"there is no proven test {request.test_id!r}",)
        return Refusal(reasons=(*reasons, *unknown), request=request)
    if patch.path != cases[0].file:
        reason = f"the patch changes {patch.path}, and the test stands in {cases[0].file}: nothing else may change"
        return Refusal(reasons=(reason,), request=request)
    return Target(request=request, patch=patch, function=function_of(cases[0].id))


def amendments_left(state: LoopState) -> int:
    """The number of amendments still allowed in this session."""
    made = len(accepted(state.amendments))
    return 0 if state.limits.amend is Amend.NEVER else max(0, state.limits.amendments - made)


def waiting(state: LoopState) -> Amendment | None:
    """The last request, if it is waiting for a person."""
    last = state.amendments[-1] if state.amendments else None
    return last if last is not None and last.outcome is AmendmentOutcome.WAITING else None


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
            problems.append(f"{line.strip()[:80]!r} is none of TEST_ID, REASON, PATCH")
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


def _obstacles(state: LoopState) -> Iterator[str]:
    limits = state.limits
    if state.phase not in MAY_AMEND:
        yield f"tests are amended in GREEN and REFACTOR, not in {state.phase}"
    if limits.amend is Amend.NEVER:
        yield "no test may be amended in this run (amend = never)"
    elif not amendments_left(state):
        yield f"as many tests were amended as may be (amendments = {limits.amendments})"
    if not state.proof.red_tree:
        yield "the tree that RED was proven on is not known"


def _cases(name: str, proof: Proof) -> list[CaseResult]:
    """The proven cases with this name: an id, with or without its suite and its parameters."""

    def means(result: CaseResult) -> bool:
        short = short_id(result.id, proof.suites)
        return name in (result.id, short, function_of(result.id), function_of(short))

    return [result for result in proof.proven or () if result.file and means(result)]
