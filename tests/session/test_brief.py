"""session.brief: what is read from disk for the next prompt."""

from pathlib import Path

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.answer import Recalled
from dualgate.core.values.changes import FileChange, FileDiff
from dualgate.core.values.checks import Check, CheckRun
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.vocabulary import EntryKind, Phase
from dualgate.session.brief import briefing, instructions_in
from dualgate.testing import a_state


def test_files_with_instructions_are_named_where_they_exist(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    (tmp_path / "CLAUDE.md").mkdir()

    assert instructions_in(tmp_path) == ("AGENTS.md",)


def test_a_brief_holds_what_the_memory_recalls_for_the_state(tmp_path: Path) -> None:
    state = a_state()
    known = {state.session_id: (Recalled(id=1, kind=EntryKind.ERROR, text="KeyError", source="s"),)}

    brief = briefing(tmp_path, tuple, lambda asked: known[asked.session_id])(state)

    assert (brief.recalled, brief.instructions) == (known[state.session_id], ())


def test_a_brief_names_the_checks_that_can_be_run(tmp_path: Path) -> None:
    gone = CheckRun(command="mypy", exit_code=127)
    checks = (Check(name="lint", command="ruff check ."), Check(name="types", command="mypy"))

    brief = briefing(tmp_path, tuple, lambda _: ())(a_state(checks=checks, proof=Proof(checks=(gone,))))

    assert brief.checks == ("ruff check .",)


class Tree:
    """A work tree with one changed file."""

    def diffs(self, state: LoopState) -> tuple[FileDiff, ...]:
        token = "ghp_" + "a1B2" * 9
        return (FileDiff(path="a.py", change=FileChange.CHANGED, diff=f"+TOKEN = '{token}'\n+# {state.phase}\n"),)

    def saved_as(self, tree: str, label: str) -> str:
        return f"{tree}-{len(label)}"


def test_a_reviewer_alone_gets_the_changes_of_the_run_without_secrets(tmp_path: Path) -> None:
    brief = briefing(tmp_path, tuple, lambda _: (), Tree(), Redactor())
    proof = Proof(start_tree="s1")

    (diff,) = brief(a_state(phase=Phase.QA, proof=proof)).diffs

    assert ("ghp_" in diff.diff, "# QA" in diff.diff) == (False, True)
    assert brief(a_state(phase=Phase.GREEN, proof=proof)).diffs == ()
    assert brief(a_state(phase=Phase.QA, proof=proof)).diff_command == "dualgate snapshot diff s1-20 --file"
    assert brief(a_state(phase=Phase.QA)).diff_command == ""


def test_a_reviewer_who_cannot_reach_the_snapshots_is_given_no_command_for_them(tmp_path: Path) -> None:
    brief = briefing(tmp_path, tuple, lambda _: (), Tree(), program="")

    found = brief(a_state(phase=Phase.QA, proof=Proof(start_tree="s1")))

    assert (len(found.diffs), found.diff_command) == (1, "")
