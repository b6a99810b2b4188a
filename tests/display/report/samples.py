"""Reports to show: one with something in every section, and the same with hostile text in every field."""

from dataclasses import replace

from dualgate.core.report.values import PhaseDiff, Report, ReportedCommit
from dualgate.core.secrets.redaction import mapped_texts
from dualgate.core.values.amendments import Amendment, AmendmentOutcome, AmendmentRequest
from dualgate.core.values.answer import Usage
from dualgate.core.values.changes import Changes, DocumentCount, FileChange, FileDiff, Uncounted, Violation
from dualgate.core.values.checks import CheckResult, CheckState
from dualgate.core.values.notation import harmless
from dualgate.core.values.probes import Probe, ProbeKind, ProbeReport, ProbeState
from dualgate.core.values.ralph_status import CheckedClaim
from dualgate.core.values.reviews import Finding, FindingState
from dualgate.core.values.specification import CriterionStatus, Plan
from dualgate.core.values.state import Warned
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.testing import NOW, a_fix, done
from tests.core.report.session import Session, in_green, of_ralph, proven, result

DIFF = """\
--- a/fee.py
+++ b/fee.py
@@ -1,3 +1,3 @@
 def fee(minutes):
-    return 0
+    return 200  # cents
     '''it costs
@@ -9,2 +9,1 @@
-# old
 END = "x"
\\ No newline at end of file
"""
EDITED = Violation(
    path="tests/test_fee.py", rule="proven tests are frozen", diff="@@ -1 +1 @@\n-assert 1\n+assert True\n"
)
LIE = CheckedClaim(claim="TESTS_STATUS", claimed="PASSING", measured="FAILING")
PROBES = ProbeReport(
    probes=(
        Probe(
            file="fee.py", line=2, kind=ProbeKind.MUTANT, text="`1` → `2`", state=ProbeState.KILLED, killed_by=("t",)
        ),
        Probe(file="fee.py", line=3, kind=ProbeKind.MUTANT, text="`3` → `4`", state=ProbeState.SURVIVING),
    ),
    problems=("b.c: not Python",),
    left_out=2,
)
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)> \x1b[31m\u202egnp.exe\u2069 \x00 "
    "[click](javascript:alert(1)) ![](http://evil.example/x.png) https://evil.example www.evil.example "
    "@octocat Fixes #1 closes GH-2 owner/repo#3 `code` ``` | cell | **bold** <!-- ---\n# heading\n```\n~~~\n"
    "Signed-off-by: Eve <eve@evil.example>\n- [x] task\n> quote\n    indented " + "x" * 5_000
)


def a_proven_report() -> Report:
    return proven().report()


def a_story() -> Session:
    """A false done, an edited test, then green."""
    claim = done(Phase.GREEN, recommendation="All tests pass")
    session = in_green().call(usage=Usage(input=900, output=100), cost_usd=0.25)
    session.turn(claim=claim, gates=(False, True), reasons=("1 failing: test_free",), checked=(LIE,))
    session.turn(claim=claim, gates=(False, True), changes=Changes(tree="t", violations=(EDITED,)))
    green = (result(CriterionStatus.GREEN, "test_free"),)
    return session.turn(Decision.NEXT_PHASE, Phase.REFACTOR, criteria=green, probes=PROBES)


def a_full_report() -> Report:
    """Something in every section."""
    files = (
        FileDiff(path="fee.py", change=FileChange.CHANGED, diff=DIFF, added=1, removed=2),
        FileDiff(path="logo.png", change=FileChange.NEW),
    )
    return replace(
        a_story().report(),
        diffs=(
            PhaseDiff(phase=Phase.GREEN, number=1, files=files, command="dualgate snapshot diff a b --patch"),
            PhaseDiff(phase=Phase.GREEN, number=2, files=files[:1], left_out=3),
        ),
        findings=(
            Finding(request=a_fix(1), state=FindingState.OPEN, review=1, by="codex", raised_at=NOW),
            Finding(request=a_fix(2), state=FindingState.CLOSED, review=1, closed_at=NOW),
        ),
        amendments=(
            Amendment(
                outcome=AmendmentOutcome.ACCEPTED,
                request=AmendmentRequest(test_id="test_free", reason="the sum is wrong"),
                approved_by="codex",
            ),
        ),
        checks=(CheckResult(name="lint", command="ruff", state=CheckState.BROKEN, reason="exits with 1"),),
        documents=DocumentCount(
            counting=("README.md", "docs/adr/1.md"),
            records=("docs/adr/1.md",),
            others=(Uncounted(path="docs/x.md", reason="it is empty"),),
        ),
        tasks=Plan(file="PLAN.md", done=("one",), open=("two",), unmarked=("three",)),
        by_person=("notes.txt",),
        guidance=("Use a table.",),
        warnings=(Warned(phase=Phase.GREEN, iteration=2, text="TESTS_STATUS was wrong"),),
        reviewer="codex",
        branch="dualgate/fees",
        commits=(ReportedCommit(commit="0123456789abcdef", phase=Phase.GREEN, subject="Charge per hour", files=2),),
        not_committed="the hook pre-commit refuses it",
        pull_request="https://example.org/fees/pull/1",
    )


def a_hostile_report() -> Report:
    """Hostile text in every field that holds a text, as a journal could bring it."""
    changed: Report = mapped_texts(a_full_report(), lambda _: harmless(HOSTILE))
    return replace(
        changed, diffs=tuple(replace(diff, files=tuple(_lines(f) for f in diff.files)) for diff in changed.diffs)
    )


def _lines(file: FileDiff) -> FileDiff:
    """A difference whose lines are hostile, and that is still one."""
    return replace(file, diff="@@ -1 +1 @@\n" + "".join(f"{mark}{harmless(HOSTILE)}\n" for mark in "+- @[\\"))


def a_halted_report() -> Report:
    return in_green().turn(Decision.STUCK, status=Status.HALTED, halt="no progress in 3 iterations").report()


def a_ralph_report() -> Report:
    plan = Plan(file="PLAN.md", done=("Add a fee",), open=("Cap it",))
    return of_ralph(plan=plan).baseline().turn(plan=plan).report()
