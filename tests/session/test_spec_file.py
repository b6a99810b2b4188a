import os
from pathlib import Path

import pytest

from dualgate.core.machine.resuming import cut_off
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.specification import Plan, starting_states
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import SpecChanged
from dualgate.session.spec_file import SpecCheck, SpecFile, require_unchanged, spec_file, spec_of, spec_paths
from dualgate.testing import a_start, a_state
from tests.core.spec.test_identity import spec

OLD = "# X\n\nBackground.\n\n## Acceptance Criteria\n\n- [ ] it doubles\n- [ ] it halves\n- [ ] it prints\n"
WITHOUT_MIDDLE = OLD.replace("- [ ] it halves\n", "")


def a_file(project: Path, **values: object) -> SpecFile:
    return spec_file(project, OLD, a_state(**values), Redactor())


@pytest.mark.parametrize(
    ("now", "changes"),
    [
        (OLD, ()),
        (OLD.replace("[ ] it halves", "[x] it halves  "), ()),
        (WITHOUT_MIDDLE, ("removed: AC-2 (was line 8)",)),
        (OLD.replace("Background.", "Something else."), ("only context: line 3",)),
    ],
)
def test_what_a_person_changed_is_said_and_ticks_are_no_change(
    tmp_path: Path, now: str, changes: tuple[str, ...]
) -> None:
    (tmp_path / "PRP.md").write_text(now)

    assert a_file(tmp_path).changes() == changes


def test_the_ids_are_those_that_the_session_gave(tmp_path: Path) -> None:
    (tmp_path / "PRP.md").write_text(WITHOUT_MIDDLE + "- [ ] something new is asked for\n")
    known = starting_states(spec("AC-5: it doubles", "AC-2: it halves", "AC-9: it prints").criteria)

    found = a_file(tmp_path, criteria_states=known, retired_ids=("AC-12",)).changes()

    assert found == ("added: AC-13 (line 9)", "removed: AC-2 (was line 8)")


def test_a_file_that_is_missing_or_was_never_there_is_not_changed(tmp_path: Path) -> None:
    assert a_file(tmp_path).changes() == ()
    (tmp_path / "(command line)").write_text("another")
    assert a_file(tmp_path, prp_file="(command line)").changes() == ()


def test_a_declined_text_counts_as_unchanged_until_it_changes_again(tmp_path: Path) -> None:
    (tmp_path / "PRP.md").write_text(WITHOUT_MIDDLE)
    declined = a_file(tmp_path).digest_of(WITHOUT_MIDDLE)
    file = a_file(tmp_path, declined_spec=declined)

    assert file.changes() == ()
    (tmp_path / "PRP.md").write_text(WITHOUT_MIDDLE + "More.\n")
    assert file.changes() != ()


def test_a_prompt_that_is_the_task_list_too_changes_as_the_work_goes_on(tmp_path: Path) -> None:
    (tmp_path / "PRP.md").write_text("- [ ] more to do\n")
    prompt = a_file(tmp_path, workflow=Workflow.RALPH, plan=Plan(file="fix_plan.md"))
    both = a_file(tmp_path, workflow=Workflow.RALPH, plan=Plan(file="PRP.md"))

    assert (prompt.changes(), both.changes()) == (("line 1",), ())


def test_only_paths_inside_the_project_are_the_persons(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "spec.md").write_text(OLD)
    (tmp_path / "SPEC.md").symlink_to("docs/spec.md")

    assert spec_paths(tmp_path, "SPEC.md", None) == {"SPEC.md", "docs/spec.md"}
    assert spec_paths(tmp_path, str(tmp_path / "docs/spec.md"), None) == {"docs/spec.md"}
    assert spec_paths(tmp_path, "../spec.md", None) == frozenset()
    assert spec_paths(tmp_path, "(standard input)", None) == frozenset()
    assert spec_paths(tmp_path, "SPEC.md", Plan(file="SPEC.md")) == frozenset()


def test_the_file_is_read_again_only_where_it_may_be_another(tmp_path: Path) -> None:
    (tmp_path / "PRP.md").write_text(OLD)
    check = SpecCheck(a_file(tmp_path))
    first = check()
    (tmp_path / "PRP.md").write_text(WITHOUT_MIDDLE)
    edited = check()
    (tmp_path / "PRP.md").unlink()

    assert (first, edited, check()) == ((), ("removed: AC-2 (was line 8)",), ())


def test_nothing_goes_on_by_the_old_one_in_silence(tmp_path: Path) -> None:
    found = cut_off([a_start(project=str(tmp_path), prp_text=OLD)])
    (tmp_path / "PRP.md").write_text(WITHOUT_MIDDLE)

    with pytest.raises(SpecChanged) as refused:
        require_unchanged(spec_of(found, Redactor()))

    assert "PRP.md was changed: removed: AC-2 (was line 8)" in refused.value.message
    assert "dualgate resume --respec" in refused.value.next_step
    assert "dualgate resume --keep-spec" in refused.value.next_step
    (tmp_path / "PRP.md").write_text(OLD)
    require_unchanged(spec_of(found, Redactor()))


def test_a_pipe_in_the_place_of_a_specification_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "PRP.md")

    assert a_file(tmp_path, prp_file="PRP.md").changes() == ()
