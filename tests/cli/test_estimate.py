"""check and run --dry-run estimate a run by earlier sessions, and say where they know nothing."""

from pathlib import Path

from jsonschema import Draft202012Validator

from dualgate.core.report.schemas import schema
from tests.store.test_earlier import keep
from tests.support import Dualgate

GROUND = "from 2 earlier sessions with 2 to 4 criteria, rehearsal:honest"


def test_without_earlier_sessions_nothing_is_estimated(dualgate: Dualgate) -> None:
    checked = dualgate("check", "SPEC.md")
    planned = dualgate("run", "SPEC.md", "--agent", "rehearsal:honest", "--dry-run", "--json").lines[0]

    assert "no earlier session of this project: no estimate" in checked.out
    assert planned["estimate"] == {
        "ground": "no earlier session of this project: no estimate",
        "sessions": 0,
        "calls": None,
        "tokens": None,
        "cost_usd": None,
    }


def test_earlier_sessions_give_a_range_with_its_ground_and_nothing_is_written(
    dualgate: Dualgate, tmp_path: Path
) -> None:
    place = tmp_path / "sessions"
    for name, criteria in (("resumed", 2), ("rejected", 4)):
        keep(place / "archive" / name, name, criteria, "rehearsal:honest")
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    variables = {"PRP_SESSION_DIR": str(place), "DUALGATE_AGENT": "rehearsal:honest"}

    told = dualgate("check", "SPEC.md", **variables).out
    checked = dualgate("check", "SPEC.md", "--json", **variables).lines[0]["estimate"]
    planned = dualgate("run", "SPEC.md", "--dry-run", **variables).out

    assert checked["ground"] == GROUND
    assert (checked["sessions"], checked["cost_usd"]) == (2, None)
    Draft202012Validator(schema("estimate")).validate(checked)
    sentence = f"5 to 18 calls, cost unknown: {GROUND}"
    assert sentence in " ".join(told.split())
    assert f"Estimate {sentence}" in planned
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before
