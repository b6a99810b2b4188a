from dualgate.core.values.suggestion import close_names, did_you_mean


def test_the_closest_name_is_asked_for_in_any_case() -> None:
    assert did_you_mean("CLUADE", ["codex", "claude"]) == "Did you mean claude? "


def test_nothing_is_asked_if_no_name_is_close() -> None:
    assert did_you_mean("xyz", ["codex", "claude"]) == ""


def test_several_names_come_the_closest_first() -> None:
    assert close_names("statu", ["stats", "status", "log"], most=2) == ("status", "stats")
