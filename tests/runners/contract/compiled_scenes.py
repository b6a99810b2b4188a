"""What `go test -json` and `cargo test` write, from small scripts: nothing but a Python is needed."""

import json
import sys

from tests.runners.contract.lives import Contender, Life, Scene

HEADER = "     Running unittests src/lib.rs (target/debug/deps/sums-0123456789abcdef)"


def _script(text: str, then: str = "") -> Scene:
    return Scene(files={"tests.py": f"import os, sys, time\nprint({text!r}, flush=True)\n{then}"})


def _go(*tests: str, ends: str = "pass", then: str = "", before: str = "") -> Scene:
    """Each test as `name action`; without an action it does not end."""
    events: list[dict[str, str]] = [{"Action": "start", "Package": "m"}]
    for test in tests:
        name, *actions = test.rsplit(" ", 1)
        events += [{"Action": action, "Package": "m", "Test": name} for action in ("run", *actions)]
    events += [{"Action": ends, "Package": "m"}] if ends else []
    return _script(before + "\n".join(map(json.dumps, events)), then or ("sys.exit(1)" if ends == "fail" else ""))


BUILD = '{"Action": "output", "Package": "n", "Output": "FAIL n [build failed]"}\n{"Action": "fail", "Package": "n"}\n'
LOUD = "for _ in range(20): print('x' * (1 << 20))"
WITHOUT_XFAIL = "it has no tests that are meant to fail"
ON_GO = Contender(
    name="go",
    runner="go",
    command=(sys.executable, "tests.py"),
    scenes={
        Life.PASS: _go("TestA pass"),
        Life.FAIL: _go("TestA fail", ends="fail"),
        Life.ERROR: _go("TestA", ends="fail"),
        Life.SKIP: _go("TestA skip"),
        Life.BROKEN_FILE: _go("TestA pass", before=BUILD, then="sys.exit(1)"),
        Life.HANG: _go("TestA pass", ends="", then="time.sleep(600)"),
        Life.CRASH: _go("TestA pass", "TestB", ends="", then="os._exit(0)"),
        Life.NO_TESTS: _go(ends="skip"),
        Life.HUGE_OUTPUT: _go("TestA pass", then=LOUD),
        Life.UNICODE: _go("TestKäse_käse pass"),
        Life.PARAMETRISED: _go("TestA/one pass", "TestA/two pass"),
        Life.CLASSES: _go("TestGroup/a pass"),
        Life.PARALLEL: _go("TestC pass", "TestA pass", "TestD pass", "TestB pass"),
        Life.RANDOM_ORDER: _go("Test_gamma pass", "Test_alpha pass", "Test_delta pass", "Test_beta pass"),
        Life.NOISE: _go("TestA pass", before='hello\n{"Action": "pass"}\n<testcase/>\n[1]\n'),
        Life.SAME_NAME: _script(
            "\n".join(
                json.dumps({"Action": action, "Package": package, **test})
                for package in ("m", "n")
                for action, test in (("pass", {"Test": "TestA"}), ("pass", {}))
            )
        ),
    },
    lacks={Life.XFAIL: WITHOUT_XFAIL},
)


def _cargo(*tests: str, code: int = 0, then: str = "", noise: str = "") -> Scene:
    """Each test as `name end`; the program ends with its counts, unless there is something else to do."""
    ends = [test.rsplit(" ", 1)[1] for test in tests]
    passed, failed, ignored = (ends.count(end) for end in ("ok", "FAILED", "ignored"))
    lines = [HEADER, f"running {len(tests)} tests", *(" ... ".join(f"test {t}".rsplit(" ", 1)) for t in tests), noise]
    counts = f"test result: ok. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; 0 filtered out"
    return _script("\n".join(lines if then else [*lines, counts]), then or f"sys.exit({code})")


ON_CARGO = Contender(
    name="cargo",
    runner="cargo",
    command=(sys.executable, "tests.py"),
    scenes={
        Life.PASS: _cargo("a ok"),
        Life.FAIL: _cargo("a FAILED", code=101),
        Life.SKIP: _cargo("a ignored"),
        Life.HANG: _cargo("a ok", then="time.sleep(600)"),
        Life.CRASH: _cargo("a ok", then="os._exit(0)"),
        Life.NO_TESTS: _cargo(),
        Life.HUGE_OUTPUT: _cargo("a ok", noise="x" * (1 << 20)),
        Life.SAME_NAME: _script(
            "\n".join(
                2
                * [
                    HEADER,
                    "running 1 test",
                    "test a ... ok",
                    "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured;",
                ]
            )
        ),
        Life.UNICODE: _cargo("käse ok"),
        Life.PARAMETRISED: _cargo("a::one ok", "a::two ok"),
        Life.CLASSES: _cargo("Group::a ok"),
        Life.PARALLEL: _cargo("c ok", "a ok", "d ok", "b ok"),
        Life.RANDOM_ORDER: _cargo("gamma ok", "alpha ok", "delta ok", "beta ok"),
        Life.NOISE: _cargo("a ok", noise="hello\nok 1 - forged\ntest b ... perhaps"),
    },
    lacks={
        Life.ERROR: "a test is ok, failed or ignored",
        Life.XFAIL: WITHOUT_XFAIL,
        Life.BROKEN_FILE: "where a file cannot be built, no test is run",
    },
)
