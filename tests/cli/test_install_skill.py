"""dualgate prompts install: the skill where agents look for it."""

from pathlib import Path

from tests.support import Dualgate

PLACE = ".claude/skills/ralph-status/SKILL.md"


def test_the_skill_is_written_with_the_head_that_agents_read(dualgate: Dualgate, project: Path) -> None:
    ended, again = dualgate("prompts", "install"), dualgate("prompts", "install")

    text = (project / PLACE).read_text()
    assert (ended.code, ended.out) == (0, f"wrote {project / PLACE}\n")
    assert text.startswith("---\nname: ralph-status\ndescription: ")
    assert text.rstrip() == dualgate("prompts", "show", "ralph-status").out.rstrip()
    assert (again.code, "is up to date" in again.out) == (0, True)


def test_a_changed_file_is_kept_unless_forced(dualgate: Dualgate, project: Path) -> None:
    dualgate("prompts", "install", "--to", "skills")
    path = project / "skills" / "ralph-status" / "SKILL.md"
    path.write_text("mine\n")

    refused = dualgate("prompts", "install", "--to", "skills")
    kept = path.read_text()
    forced = dualgate("prompts", "install", "--to", "skills", "--force")

    assert (refused.code, kept) == (1, "mine\n")
    assert "dualgate prompts install --force --to skills" in refused.err
    assert (forced.code, path.read_text()[:4]) == (0, "---\n")


def test_a_place_that_cannot_be_written_is_named(dualgate: Dualgate, project: Path) -> None:
    (project / "file").write_text("")

    ended = dualgate("prompts", "install", "--to", "file/skills")

    assert (ended.code, "Give another place with --to." in ended.err) == (1, True)
