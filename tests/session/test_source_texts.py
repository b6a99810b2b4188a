from dataclasses import dataclass, field
from typing import Any, cast

from dualgate.core.values.changes import Changes
from dualgate.core.values.state import Proof
from dualgate.core.values.vocabulary import Phase
from dualgate.session.source_texts import LONGEST, read_texts
from dualgate.testing import a_report, a_state, failed, passed

FILES = {
    "t/tests/unit/test_fee.py": b"from ..helper import check\nfrom app.fee import fee\nimport tools\n",
    "t/tests/helper.py": b"helper",
    "t/tests/conftest.py": b"fixtures",
    "t/tests/unit/tools.py": b"tools",
    "t/app/fee.py": b"new",
    "t/app/fee.js": b"\xff",
    "t/app/big.py": b"x" * (LONGEST + 1),
    "s/app/fee.py": b"old",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    files: dict[str, bytes] = field(default_factory=dict)

    def read(self, tree: str, path: str) -> bytes | None:
        return self.files.get(f"{tree}/{path}")


def test_changed_tests_are_read_with_their_helpers_and_sources_with_what_they_were() -> None:
    changes = Changes(
        tree="t",
        added=("tests/unit/test_fee.py", "app/fee.js", "app/big.py", "tests/unit/tools.py", "README.md"),
        rewritten=("app/fee.py", "app/gone.py"),
        removed=("app/gone.py",),
    )
    run = a_report(failed("test_a", file="tests/unit/test_fee.py"), failed("test_b", file="tests/test_old.py"))
    state = a_state(proof=Proof(start_tree="s"))

    found = read_texts(state, changes, [run], cast("Any", Trees(files=FILES)))

    assert [*found.tests] == ["tests/unit/test_fee.py"]
    assert {*found.helpers} == {"helper", "fixtures", "tools"}
    assert found.sources == {"app/fee.js": "\ufffd", "app/fee.py": "new"}
    assert found.before == {"app/fee.py": "old"}
    assert read_texts(a_state(), changes, [], cast("Any", Trees())).before == {}


def test_files_of_tests_that_failed_before_any_work_are_read_too() -> None:
    old, other = failed("test_a", file="tests/unit/test_fee.py"), passed("test_b", file="tests/helper.py")
    state = a_state(proof=Proof(start_tree="s", baseline=(old, other)))

    found = read_texts(state, Changes(tree="t"), [a_report(old, other)], cast("Any", Trees(files=FILES)))

    assert [*found.tests] == ["tests/unit/test_fee.py"]


def test_after_red_what_changed_beside_the_tests_is_read_as_red_left_it() -> None:
    files = {
        **{f"{tree}/{name}": tree.encode() for tree in "rt" for name in ("checking.py", "cases.json", "tests/a.json")},
        **{f"{tree}/{name}": tree.encode() for tree in "rt" for name in ("out.json", "notes.md", "app.js")},
        "r/same.py": b"same",
        "t/same.py": b"same",
        "t/new.py": b"new",
    }
    names = tuple(dict.fromkeys(name.partition("/")[2] for name in files))
    changes, proof = Changes(tree="t", added=names), Proof(red_tree="r", outputs=("out.json",))
    worktree = cast("Any", Trees(files=files))

    found = read_texts(a_state(phase=Phase.GREEN, proof=proof), changes, [], worktree)

    assert found.unfrozen == {"checking.py": ("r", "t"), "cases.json": ("r", "t")}
    assert read_texts(a_state(phase=Phase.RED, proof=proof), changes, [], worktree).unfrozen == {}
