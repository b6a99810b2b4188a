from dualgate.core.machine.replay import Difference, Replay, Ruling
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.display.replay import replay_lines, replay_record


def test_where_another_agent_comes_out_both_are_named() -> None:
    on = Ruling(decision=Decision.CONTINUE, phase=Phase.GREEN, agent="codex", reasons=("usage_limit",))
    again = Ruling(decision=Decision.CONTINUE, phase=Phase.GREEN)
    found = Replay(
        events=9,
        decisions=4,
        differences=(Difference(seq=7, phase=Phase.GREEN, iteration=2, recorded=on, recomputed=again),),
    )

    assert list(replay_lines(found))[1:] == [
        "Event 7, GREEN 2: not the same are reasons, agent.",
        "  recorded   continue → GREEN, running; codex is asked; usage_limit",
        "  comes out  continue → GREEN, running",
    ]
    (difference,) = replay_record(found)["differences"]
    assert (difference["recorded"]["agent"], difference["recomputed"]["agent"]) == ("codex", None)


def test_another_reason_for_the_same_halt_is_told() -> None:
    time, money = (
        Ruling(decision=Decision.BUDGET_EXHAUSTED, phase=Phase.RED, status=Status.HALTED, halt_reason=reason)
        for reason in ("time is over", "money is spent")
    )
    found = Replay(
        events=9,
        decisions=4,
        other_reasons=(Difference(seq=9, phase=Phase.RED, iteration=1, recorded=time, recomputed=money),),
    )

    assert list(replay_lines(found, ["max_cost=1"]))[1:] == [
        "The run would have gone the same way.",
        "Event 9, RED 1: it would have halted there for another reason.",
        "  recorded   budget_exhausted → RED, halted; time is over",
        "  would be   budget_exhausted → RED, halted; money is spent",
    ]
    assert [each["seq"] for each in replay_record(found)["other_reasons"]] == [9]
