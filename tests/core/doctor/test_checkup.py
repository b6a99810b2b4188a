"""What is seen of a machine, and whether a run can start there."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dualgate.core.doctor.checkup import (
    AgentSeen,
    Check,
    Health,
    RunSeen,
    SuiteSeen,
    can_start,
    check_agent,
    check_npm,
    check_run,
    check_suite,
)
from dualgate.core.doctor.surroundings import (
    ClockSeen,
    GitSeen,
    PlaceSeen,
    TerminalSeen,
    check_clock,
    check_git,
    check_leftovers,
    check_owner,
    check_place,
    check_python,
    check_sandbox,
    check_terminal,
)
from dualgate.core.values.suite import Counts

OK, WARN, FAIL = Health.OK, Health.WARN, Health.FAIL
GB = 1 << 30
NOW = datetime(2026, 11, 16, 4, 0, tzinfo=UTC)
AGENT = AgentSeen(
    agent="claude",
    program="claude",
    version="2.1.197",
    login="found",
    login_from="ANTHROPIC_API_KEY",
    installed=True,
    install="npm install -g x",
    log_in="run 'claude' once",
)
GIT = GitSeen(branch="main")
PLACE = PlaceSeen(what="sessions", path="/s", writable=True, free=9 * GB)
TERMINAL = TerminalSeen(is_terminal=True, columns=100, in_colour=True, encoding="utf-8")
CLOCK = ClockSeen(now=NOW, newest=NOW - timedelta(days=1))
SUITE = SuiteSeen(name="api", command="pytest -q")
RUN = RunSeen(command="pytest", problems=(), counts=Counts(passed=3), seconds=1.24)

CASES = [
    (check_agent("agent", AGENT), OK, "claude 2.1.197, login found (ANTHROPIC_API_KEY)", ""),
    (check_agent("agent", replace(AGENT, installed=False)), FAIL, "'claude' is not installed", "npm install -g x"),
    (
        check_agent("agent", replace(AGENT, login="not_found", version=None)),
        FAIL,
        "no login found",
        "run 'claude' once",
    ),
    (
        check_agent("agent", replace(AGENT, login="unknown", login_from=None)),
        WARN,
        "login unknown",
        "dualgate agents try claude",
    ),
    (check_agent("agent", replace(AGENT, hampered="it only reads")), FAIL, "; it only reads", "dualgate config"),
    (check_python((3, 12, 1)), OK, "3.12.1", ""),
    (check_python((3, 10, 2)), FAIL, "3.10.2, and 3.11 is needed", "python3.11 -m pip install"),
    (check_git(GIT), OK, "main, nothing to commit", ""),
    (check_git(replace(GIT, installed=False)), WARN, "not installed", "dualgate snapshot list"),
    (check_git(replace(GIT, repository=False)), WARN, "no repository here", "git init"),
    (check_git(replace(GIT, readable=False)), WARN, "cannot be read", "git status"),
    (check_git(replace(GIT, under_way="rebase")), WARN, "a rebase is in progress", "git rebase --abort"),
    (check_git(replace(GIT, under_way="bisect")), WARN, "a bisect is in progress", "git bisect reset"),
    (
        check_git(replace(GIT, changed=("a",))),
        WARN,
        "1 path is not committed: a",
        "git add -A && git commit, or git stash -u",
    ),
    (check_git(replace(GIT, changed=("a\nfail  b",))), WARN, "1 path is not committed: a\\nfail  b", "git stash -u"),
    (check_git(replace(GIT, changed=tuple("abcd"))), WARN, "4 paths are not committed: a, b, c, …", "git stash -u"),
    (check_sandbox("/usr/bin/bwrap", "", ""), OK, "agent and tests run in bubblewrap (/usr/bin/bwrap)", ""),
    (check_sandbox("", "", ""), OK, "off: agent and tests have all your permissions", ""),
    (
        check_sandbox("", "There is no program 'bwrap'.", "apt install bubblewrap"),
        WARN,
        "agent and tests have all your permissions: There is no program 'bwrap'",
        "apt install bubblewrap",
    ),
    (check_place(PLACE), OK, "/s, 9.0 GB free", ""),
    (check_place(replace(PLACE, free=None)), OK, "/s", ""),
    (check_place(replace(PLACE, writable=False)), FAIL, "/s cannot be written to", "chmod u+rwx /s"),
    (
        check_place(replace(PLACE, writable=False, is_kept=True)),
        FAIL,
        "/s cannot",
        "or another place: export PRP_SESSION",
    ),
    (check_place(replace(PLACE, free=GB - 1)), WARN, "/s, 1023 MB free", "dualgate snapshot prune"),
    (check_place(replace(PLACE, free=1 << 20)), FAIL, "/s, 1 MB free", "dualgate sessions prune"),
    (check_terminal(TERMINAL), OK, "100 columns, in colour, utf-8", ""),
    (check_terminal(replace(TERMINAL, in_colour=False)), OK, "without colour", ""),
    (check_terminal(replace(TERMINAL, is_terminal=False)), OK, "not a terminal: plain lines", ""),
    (check_terminal(replace(TERMINAL, encoding="ascii")), WARN, "the encoding is ascii", "LC_ALL=C.UTF-8"),
    (check_terminal(replace(TERMINAL, columns=40)), WARN, "40 columns", "stty cols 60"),
    (check_clock(CLOCK), OK, "2026-11-16 04:00 UTC", ""),
    (check_clock(replace(CLOCK, newest=NOW + timedelta(days=9))), WARN, "before 2026-11-25", "timedatectl"),
    (check_clock(replace(CLOCK, zone="Nowhere", zone_known=False)), WARN, "no time zone 'Nowhere'", "unset TZ"),
    (check_owner(None), OK, "no other run", ""),
    (check_owner("process 7"), FAIL, "another run is active: process 7", "dualgate pause"),
    (
        check_owner(None, "A run owns /a, which is above /a/b"),
        FAIL,
        "A run owns /a",
        "dualgate pause  # in that folder",
    ),
    (check_leftovers(()), OK, "no process is left", ""),
    (check_leftovers(("7 node x", "8 sleep 9")), WARN, "7 node x, 8 sleep 9", "kill 7 8"),
    (check_npm("/bin/npm", ("claude",)), OK, "/bin/npm", ""),
    (check_npm(None, ("claude",)), WARN, "needed to install claude", "Node.js"),
    (check_suite(replace(SUITE, collected=1)), OK, "pytest -q: 1 test", ""),
    (check_suite(replace(SUITE, collected=0)), OK, "pytest -q: 0 tests", ""),
    (check_suite(SUITE), OK, "pytest -q", ""),
    (check_suite(replace(SUITE, note="not counted")), OK, "pytest -q; not counted", ""),
    (
        check_suite(replace(SUITE, problem="no pytest; install it with: pip …")),
        FAIL,
        "pytest -q: no pytest",
        "pip …  # or",
    ),
    (check_suite(replace(SUITE, problem="no module x")), FAIL, "pytest -q: no module x", "--test-command"),
    (check_run(RUN), OK, "pytest: 3 tests in 1.2 s", ""),
    (check_run(replace(RUN, counts=Counts(failed=1, error=1))), WARN, "2 fail already", "dualgate tests"),
    (check_run(replace(RUN, problems=("cut off", "late"))), FAIL, "cut off; late", "dualgate tests"),
]


@pytest.mark.parametrize(("check", "health", "seen", "fix"), CASES)
def test_what_is_seen_has_a_health_and_a_way_to_mend_it(check: Check, health: Health, seen: str, fix: str) -> None:
    assert check.health is health
    assert seen in check.seen
    assert fix in check.fix
    assert bool(check.fix) == (health is not OK)


def test_of_several_suites_each_is_named() -> None:
    assert check_suite(SUITE, several=True).name == "tests of api"


def test_only_what_fails_keeps_a_run_from_starting() -> None:
    fine, odd, bad = (Check(name="x", health=health, seen="") for health in Health)

    assert can_start([fine, odd])
    assert not can_start([fine, bad])
