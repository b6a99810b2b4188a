from pathlib import Path

import pytest

from dualgate.core.values.specification import Plan
from dualgate.workspace.task_list import NAMES, TaskList


@pytest.mark.parametrize("name", NAMES)
def test_a_list_is_found_by_any_of_its_names(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"userStories": [{"id": "US-1"}]}' if name.endswith(".json") else "- [ ] US-1\n")

    plan = TaskList(project=tmp_path).read()

    assert plan is not None
    assert (plan.open, plan.file) == (("US-1",), name)


def test_the_first_name_comes_first_and_a_given_one_alone(tmp_path: Path) -> None:
    for name in ("fix_plan.md", "IMPLEMENTATION_PLAN.md", "todo.md"):
        (tmp_path / name).write_text(f"- [ ] {name}\n")

    assert list(TaskList(project=tmp_path).found()) == ["IMPLEMENTATION_PLAN.md", "fix_plan.md"]
    assert TaskList(project=tmp_path, given="todo.md").read() == Plan(open=("todo.md",), file="todo.md")


def test_a_byte_order_mark_hides_no_task(tmp_path: Path) -> None:
    (tmp_path / "fix_plan.md").write_bytes(b"\xef\xbb\xbf- [ ] a\r\n- [~] b\r\n1. [X] c\r\n")

    assert TaskList(project=tmp_path).read() == Plan(open=("a", "b"), done=("c",), file="fix_plan.md")


def test_a_list_may_be_made_later_and_one_that_is_gone_keeps_its_tasks(tmp_path: Path) -> None:
    tasks = TaskList(project=tmp_path)
    before = tasks.read()
    (tmp_path / "fix_plan.md").write_text("- [ ] a\n")
    made = tasks.read(before)
    (tmp_path / "fix_plan.md").unlink()
    (tmp_path / "prd.json").write_text("{}")

    assert (before, made) == (None, Plan(open=("a",), file="fix_plan.md"))
    assert tasks.read(made) == Plan(open=("a",), file="fix_plan.md", is_gone=True)


def test_a_list_that_was_emptied_keeps_the_tasks_that_were_open(tmp_path: Path) -> None:
    (tmp_path / "fix_plan.md").write_text("# nothing\n")
    tasks = TaskList(project=tmp_path)
    before = Plan(open=("a",), done=("b",), file="fix_plan.md")

    assert tasks.read(before) == Plan(open=("a",), done=("b",), file="fix_plan.md", is_gone=True)
    assert tasks.read(Plan(done=("b",), file="fix_plan.md")) == Plan(file="fix_plan.md")


def test_tasks_without_a_box_stay_unseen_until_each_has_one(tmp_path: Path) -> None:
    list_ = tmp_path / "own.md"
    list_.write_text("1. a\n2. b\n")
    first = TaskList(project=tmp_path, given="own.md", unmarked=("a", "b")).read()
    list_.write_text("- [x] a\n2. b\n")

    later = TaskList(project=tmp_path).read(first)

    assert first == Plan(file="own.md", unmarked=("a", "b"))
    assert later == Plan(file="own.md", done=("a",), unmarked=("b",))


def test_the_text_of_a_list_is_empty_if_there_is_none_or_it_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "fix_plan.md").write_text("- [ ] a\n")

    assert TaskList(project=tmp_path).text() == ("fix_plan.md", "- [ ] a\n")
    assert TaskList(project=tmp_path, given="none.md").text() == ("", "")
