"""Flaws of tests and sources that their texts show -> what RED is asked once, and what is noted.

The gate points a flaw out and does not insist: what a test is worth is measured elsewhere.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from dualgate.core.evidence.hollow import NO_ASSERTION, hollow_tests
from dualgate.core.evidence.syntax.always_true import ITSELF
from dualgate.core.values.case_names import function_of, last_part, own_name, stable
from dualgate.core.values.facts import AskedOnce, Observed
from dualgate.core.values.notation import in_line, listed
from dualgate.core.values.replacing import replace
from dualgate.core.values.source_texts import SourceTexts
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseResult, FailureKind
from dualgate.core.values.vocabulary import Phase

NAME_IT = "name the criterion in the name or the docstring of its test"
ASSERT_IT = "assert what the criterion says"
_REPEATS = re.compile(r"same|determin|repeat|repro|idempot|seed|stable|cache|memo|equal|twice|again", re.IGNORECASE)
"""Words in the name of a test about results that repeat."""


def with_flaws(
    observed: Observed, state: LoopState, fresh: Iterable[CaseResult], texts: SourceTexts, watching: Sequence[str] = ()
) -> Observed:
    """Add hollow tests among the new and changed ones, and sources that look at tests. After RED both are noted."""
    fresh = list(fresh)
    stubs = observed.changes.sources if state.phase is Phase.RED else state.proof.stubs
    crashes = [r for r in (*fresh, *state.proof.red) if r.kind is FailureKind.OTHER and not stubs]
    fixes = {function_of(r.id) for r in crashes}
    hollow = tuple(each for each in hollow_flaws(fresh, texts) if not is_excused(each, fixes))
    settled = {*state.proof.asked, *_bare_before(state.proof, hollow, texts)}
    new = tuple(each for each in hollow if not {*each.about} <= settled)
    is_red = state.phase is Phase.RED
    noted = [each for each in hollow if each not in new] if is_red else new
    known = {warned.text for warned in state.warnings}
    return replace(
        observed,
        hollow=tuple(each.sentence for each in hollow),
        watching=tuple(watching),
        asks=(*unnamed_flaws(observed, state.proof), *new) if is_red else (),
        notes=(*observed.notes, *(each.sentence for each in noted), *(each for each in watching if each not in known)),
    )


def _bare_before(proof: Proof, hollow: Iterable[AskedOnce], texts: SourceTexts) -> Iterator[str]:
    """Tests without an assertion that the project had already, under the same name, perhaps in another file."""
    bare = {
        last_part(each.name)
        for file, text in texts.tests_before.items()
        for each in hollow_tests(
            text, (function_of(own_name(r)) for r in proof.baseline if r.file == file), texts.helpers
        )
        if each.why == NO_ASSERTION
    }
    yield from (
        name for each in hollow if NO_ASSERTION in each.sentence for name in each.about if last_part(name) in bare
    )


def is_excused(flaw: AskedOnce, fixes: Collection[str]) -> bool:
    """Whether a test is honest although it looks hollow.

    A test of a crash of existing code needs no assertion, and one of results that repeat compares a call with itself.
    """
    if NO_ASSERTION in flaw.sentence:
        return not {*flaw.about}.isdisjoint(fixes)
    return ITSELF in flaw.sentence and any(_REPEATS.search(name) for name in flaw.about)


def unnamed_flaws(observed: Observed, proof: Proof) -> tuple[AskedOnce, ...]:
    """Criteria that no test names. Where there are too few tests, the gate waits for tests instead of names."""
    about = tuple(f"name {criterion}" for criterion in observed.unlinked)
    is_due = about and len(about) <= observed.spare and not {*about} <= {*proof.asked}
    sentence = f"no failing new test names {listed(observed.unlinked)}; {NAME_IT}"
    return (AskedOnce(about=about, sentence=sentence),) if is_due else ()


def hollow_flaws(fresh: Iterable[CaseResult], texts: SourceTexts) -> Iterator[AskedOnce]:
    """The hollow ones of new and changed tests, one for each function."""
    by_file: dict[str, dict[str, str]] = {}
    for result in fresh:
        if result.file in texts.tests:
            by_file.setdefault(result.file, {})[function_of(own_name(result))] = function_of(stable(result.id))
    for file, functions in by_file.items():
        for each in hollow_tests(texts.tests[file], functions, texts.helpers):
            place, name = f"`{in_line(file)}:{each.line}`", in_line(last_part(each.name))
            sentence = f"{place} {name} {each.why}; {ASSERT_IT}"
            yield AskedOnce(about=(functions[each.name],), sentence=sentence)
