# ruff: noqa: E501
"""Small texts that a person reads in one way; most of them were once read in another."""

import pytest

from dualgate.core.spec.reading import read_specification
from dualgate.core.values.problems import Severity

AC = "## Acceptance Criteria\n\n"
# text; criteria with kind, !forbidden paths, $command; number of tasks; questions; errors
CASES = [
    ("Make slugify collapse repeated dashes; do not touch _legacy.py.", "AC-1 new !_legacy.py", 0, ["prompt"], []),
    (
        "# X\n\nAdd `foo`. `foo(1)` must return 2.\n\nDo not touch `legacy.py`.\n",
        "AC-1 new !legacy.py",
        0,
        ["prompt"],
        [],
    ),
    (
        "## Goal\n\nAdd a flag.\n\n## Constraints\n\n- Do not touch `a.py`\n",
        "AC-1 review !a.py",
        0,
        [],
        ["nothing_to_prove"],
    ),
    ("- [ ] Add foo\n- [ ] Do not touch `legacy.py`\n", "AC-1 review !legacy.py", 2, [], []),
    ("## Tasks\n\n- [ ] a\n\n## Constraints\n\n- Do not touch `a.py`\n", "AC-1 review !a.py", 1, [], []),
    (
        "### Describe the solution you'd like\n\nA flag that prints all.\n\n### Code of Conduct\n\n- [X] I agree to follow\n",
        "AC-1 new",
        0,
        ["perhaps:Describe the solution you'd like"],
        [],
    ),
    (
        "### What did you expect to happen?\n\nIt prints 1.\n\n### Are you willing to submit a PR?\n\n- [ ] Yes\n",
        "AC-1 new",
        0,
        [],
        [],
    ),
    (
        AC
        + "- [check: make lint]\n- [ ] [check: pytest -q]\n- [check: make lint, exit 0]\n- [review: naming]\n- AC7 [check: make x]\n- **AC3 (negative):** x fails\n",
        "AC-1 check $make lint, AC-2 check $pytest -q, AC-4 check $make lint, AC-5 review, AC7 check $make x, AC3 new",
        0,
        [],
        [],
    ),
    (
        "- [ ] t0\n  - [ ] t1\n    - [ ] t2\n      - [ ] t3\n        - [ ] t4\n          - [ ] t5\n            - [ ] t6\n              - [ ] t7\n                - [ ] t8\n                  - [ ] t9\n                    - [ ] t10\n                      - [ ] t11\n\n## Acceptance Criteria\n\n- a works\n",
        "AC-1 new",
        12,
        [],
        [],
    ),
    (
        AC + "- a works\n\nAdditionally, the cache must survive a restart.\n",
        "AC-1 new, AC-2 new",
        0,
        ["prose:Acceptance Criteria"],
        [],
    ),
    (
        AC + "### Security\n\nOnly admins may log in. Others get 403.\n\n### More\n\n- b works\n",
        "AC-1 new, AC-2 new",
        0,
        ["prose:Security"],
        [],
    ),
    (
        "## Requirements\n\n### In scope\n\n- it returns 1\n\n## System requirements\n\n- 4 GB RAM\n- Linux\n",
        "AC-1 new",
        0,
        ["perhaps:System requirements"],
        [],
    ),
    (
        AC + "| Scenario | Input | Expected output |\n|-|-|-|\n| empty | '' | 0 |\n| plain | 'a' | 1 |\n",
        "AC-1 new, AC-2 new",
        0,
        [],
        [],
    ),
    (AC + "| Feature | Expected behaviour |\n|-|-|\n| login | returns 200 |\n", "AC-1 new", 0, [], []),
    (
        AC + "| ID | Description | Command |\n|-|-|-|\n| AC1 | types are fine | `mypy src` |\n",
        "AC1 check $mypy src",
        0,
        [],
        [],
    ),
    (
        "## Requirements\n\n1. Input\n   1.1 The system shall read a\n   1.2 The system shall read b\n",
        "AC-1 new, AC-2 new",
        0,
        [],
        [],
    ),
    (
        "## Do not touch\n\n- `a.py`\n- src/vendor/ (generated)\n\n## Acceptance Criteria\n\n- x works\n",
        "AC-1 new, AC-2 review !a.py, AC-3 review !src/vendor/",
        0,
        [],
        [],
    ),
    (
        "## Must not\n\n- touch `a.py`\n- change the API\n\n## Acceptance Criteria\n\n- x works\n",
        "AC-1 new, AC-2 new, AC-3 review !a.py",
        0,
        ["perhaps:Must not"],
        [],
    ),
    (
        AC + "- x works\n\n## Constraints\n\n- Do not touch:\n  - `a.py`\n  - `b.py`\n",
        "AC-1 new, AC-2 review !a.py !b.py",
        0,
        [],
        [],
    ),
    (AC + "- Given a\n- When b\n- Then c\n- Totals are right: 5\n", "AC-1 new, AC-2 new", 0, [], []),
    (
        "**Expected behavior**\nIt returns a-b.\n\n**Screenshots**\nIf applicable, add.\n\n**Actual**\nfoo\n",
        "AC-1 new",
        0,
        [],
        [],
    ),
    (
        "## Requirements we rejected\n\n- a must work\n\n## Acceptance Criteria (v1, superseded)\n\n- b must work\n\n## Acceptance Criteria\n\n- c works\n",
        "AC-1 new",
        0,
        [],
        [],
    ),
    (
        AC + "- [P1] a works\n- [P1] b works\n- P0: c works\n- UTF-8: files are read\n- AC1: d works\n- e works\n",
        "AC-2 new, AC-3 new, AC-4 new, AC-5 new, AC1 new, AC-6 new",
        0,
        [],
        [],
    ),
    ("## Story: Cart\n\n- AC1: a\n\n## User Story: Total\n\n- AC1: b\n", "US1-AC1 new, US2-AC1 new", 0, [], []),
    (
        AC
        + '- `{{ user.name }}` x\n- see [RFC 7231]\n- [[wiki links]] work\n- An entry "TBD" is accepted\n- shown as TBD\n<!-- TODO: x -->\n',
        "AC-1 new, AC-2 new, AC-3 new, AC-4 new, AC-5 new",
        0,
        [],
        [],
    ),
    ("- add login\n- add logout\n", "", 2, ["list"], []),
    (
        "Add login:\n- POST /login returns a token\n- wrong password returns 401\n",
        "AC-1 new, AC-2 new",
        0,
        ["list"],
        [],
    ),
    ("Acceptance Criteria\n\n1. a works\n2. b works\n", "AC-1 new, AC-2 new", 0, [], []),
    ("Bug.\n\nExpected: it works\nActual: it fails\n", "AC-1 new", 0, [], []),
    ("<details><summary>Acceptance Criteria</summary>\n\n- a works\n\n</details>\n", "AC-1 new", 0, [], []),
    ("> ## Acceptance Criteria\n>\n> - a works\n", "AC-1 new", 0, [], []),
    (AC + "• a works\n• b works\n", "AC-1 new, AC-2 new", 0, [], []),
    (
        "## Login\n\nWHEN a user logs in THEN the system SHALL greet.\n\nIF it fails THEN the system SHALL say so.\n",
        "AC-1 new, AC-2 new",
        0,
        [],
        [],
    ),
    (AC + "```\nGiven a\nWhen b\nThen c\n```\n", "AC-1 new", 0, [], []),
    (
        "## Validation Commands\n\n- `uv run pytest` - all tests\n- Run `make x`.\n\n`pytest -q` and `make lint` must pass.\n\n```\nPS> pytest -q\n```\n",
        "",
        0,
        [],
        ["nothing_to_prove"],
    ),
    (AC + "- ~~AC-2: x~~ dropped\n- a works\n", "AC-1 new", 0, [], []),
    (AC + "\nSee REQUIREMENTS.md\n\n## Tasks\n\n- [ ] a\n", "AC-1 new", 1, ["prose:Acceptance Criteria"], []),
    (AC + "\n## Tasks\n\n- [ ] a\n- [ ]* 2.2 b\n- [v] c\n- [ ]\n", "", 3, [], ["no_criteria"]),
    (
        '{"title":"x","body":"## Criteria\\n\\n- a works","comments":[{"body":"It must also handle b."}]}',
        "AC-1 new",
        0,
        [],
        [],
    ),
    ('[{"id":"A","dependsOn":["B","C"]},{"id":"B"},{"id":"C"}]', "B new, C new, A new", 3, [], ["placeholder"]),
    ("## ~~Acceptance Criteria~~\n\n- x must work\n\n## Acceptance Criteria\n\n- y works\n", "AC-1 new", 0, [], []),
    (
        'Feature: x\n  Scenario: y\n    Given a\n      | b |\n      | 1 |\n    Then c\n      """\n      d\n      """\n',
        "AC-1 new",
        0,
        [],
        [],
    ),
    ("## Validation\n\n- `[x]`\n- `make`\n\n## Acceptance Criteria\n\n- y works\n", "AC-1 new", 0, [], []),
    (
        "- [ ] t\n  - [ ] t\n    - [ ] t\n      - [ ] t\n        - [ ] t\n          - [ ] t\n            - [ ] t\n              - [ ] t\n                - [ ] t\n                  - [ ] t\n                    - [ ] t\n                      - [ ] t\n                        - [ ] t\n                          - [ ] t\n                            - [ ] t\n                              - [ ] t\n                                - [ ] t\n                                  - [ ] t\n                                    - [ ] t\n                                      - [ ] t\n                                        - [ ] t\n                                          - [ ] t\n                                            - [ ] t\n                                              - [ ] t\n                                                - [ ] t\n                                                  - [ ] t\n                                                    - [ ] t\n                                                      - [ ] t\n                                                        - [ ] t\n                                                          - [ ] t\n                                                            - [ ] t\n                                                              - [ ] t\n                                                                - [ ] t\n                                                                  - [ ] t\n                                                                    - [ ] t\n                                                                      - [ ] t\n                                                                        - [ ] t\n                                                                          - [ ] t\n                                                                            - [ ] t\n                                                                              - [ ] t\n                                                                                - [ ] t\n                                                                                  - [ ] t\n                                                                                    - [ ] t\n                                                                                      - [ ] t\n                                                                                        - [ ] t\n                                                                                          - [ ] t\n                                                                                            - [ ] t\n                                                                                              - [ ] t\n                                                                                                - [ ] t\n                                                                                                  - [ ] t\n                                                                                                    - [ ] t\n                                                                                                      - [ ] t\n                                                                                                        - [ ] t\n                                                                                                          - [ ] t\n                                                                                                            - [ ] t\n                                                                                                              - [ ] t\n                                                                                                                - [ ] t\n                                                                                                                  - [ ] t\n                                                                                                                    - [ ] t\n                                                                                                                      - [ ] t\n                                                                                                                        - [ ] t\n                                                                                                                          - [ ] t\n                                                                                                                            - [ ] t\n                                                                                                                              - [ ] t\n                                                                                                                                - [ ] t\n                                                                                                                                  - [ ] t\n                                                                                                                                    - [ ] t\n                                                                                                                                      - [ ] t\n                                                                                                                                        - [ ] t\n                                                                                                                                          - [ ] t\n                                                                                                                                            - [ ] t\n                                                                                                                                              - [ ] t\n                                                                                                                                                - [ ] t\n                                                                                                                                                  - [ ] t\n                                                                                                                                                    - [ ] t\n                                                                                                                                                      - [ ] t\n                                                                                                                                                        - [ ] t\n                                                                                                                                                          - [ ] t\n                                                                                                                                                            - [ ] t\n                                                                                                                                                              - [ ] t\n                                                                                                                                                                - [ ] t\n                                                                                                                                                                  - [ ] t\n                                                                                                                                                                    - [ ] t\n                                                                                                                                                                      - [ ] t\n                                                                                                                                                                        - [ ] t\n                                                                                                                                                                          - [ ] t\n                                                                                                                                                                            - [ ] t\n                                                                                                                                                                              - [ ] t\n                                                                                                                                                                                - [ ] t\n                                                                                                                                                                                  - [ ] t\n                                                                                                                                                                                    - [ ] t\n                                                                                                                                                                                      - [ ] t\n                                                                                                                                                                                        - [ ] t\n                                                                                                                                                                                          - [ ] t\n                                                                                                                                                                                            - [ ] t\n                                                                                                                                                                                              - [ ] t\n                                                                                                                                                                                                - [ ] t\n                                                                                                                                                                                                  - [ ] t\n                                                                                                                                                                                                    - [ ] t\n                                                                                                                                                                                                      - [ ] t\n                                                                                                                                                                                                        - [ ] t\n                                                                                                                                                                                                          - [ ] t\n                                                                                                                                                                                                            - [ ] t\n                                                                                                                                                                                                              - [ ] t\n                                                                                                                                                                                                                - [ ] t\n                                                                                                                                                                                                                  - [ ] t\n                                                                                                                                                                                                                    - [ ] t\n                                                                                                                                                                                                                      - [ ] t\n                                                                                                                                                                                                                        - [ ] t\n                                                                                                                                                                                                                          - [ ] t\n                                                                                                                                                                                                                            - [ ] t\n                                                                                                                                                                                                                              - [ ] t\n                                                                                                                                                                                                                                - [ ] t\n                                                                                                                                                                                                                                  - [ ] t\n                                                                                                                                                                                                                                    - [ ] t\n                                                                                                                                                                                                                                      - [ ] t\n                                                                                                                                                                                                                                        - [ ] t\n                                                                                                                                                                                                                                          - [ ] t\n                                                                                                                                                                                                                                            - [ ] t\n                                                                                                                                                                                                                                              - [ ] t\n",
        "",
        99,
        [],
        ["too_deep"],
    ),
    ('[{"number":1,"title":"A","body":"x"}]', "", 0, [], ["several_issues"]),
    (
        '{"userStories":[{"id":"A","acceptanceCriteria":"y returns 2\\nz returns 3"},{"id":"B","passes":true,"acceptanceCriteria":["q works"]}]}',
        "A-AC1 new, A-AC2 new, B-AC1 keep",
        2,
        [],
        [],
    ),
    (AC + "- a returns 1\n\n**Fallback**: all images are shown.\n", "AC-1 new", 0, [], []),
    (
        "## Requirements\n\n**SRS-001:** The door shall open.\n\n**SRS-002:** The door shall close.\n\n*Rationale:* EN 179.\n",
        "SRS-001 new, SRS-002 new",
        0,
        [],
        [],
    ),
    (
        "### Unchanged Behavior (Regression Prevention)\n\n3.1 WHEN c THEN the system SHALL CONTINUE TO d\n",
        "AC-1 keep",
        0,
        [],
        [],
    ),
    (
        "## Requirements\n\n1.1 WHEN a THE SYSTEM SHALL b\n1.2 WHEN c THE SYSTEM SHALL d\n",
        "AC-1 new, AC-2 new",
        0,
        [],
        [],
    ),
    (AC + "GIVEN a WHEN b THEN c\n\nGIVEN d WHEN e THEN f\n", "AC-1 new, AC-2 new", 0, [], []),
    (AC + "| Input | Output |\n|-|-|\n| 2000 | True |\n", "AC-1 new", 0, [], []),
    (
        AC
        + "| ID | Requirement | Priority | Acceptance criteria |\n|-|-|-|-|\n| R1 | Login | Must | a wrong password gives 401 |\n",
        "R1 new",
        0,
        [],
        [],
    ),
    ("## AC\n\n- a works\n", "AC-1 new", 0, [], []),
    ("**AC:**\n\n- a works\n", "AC-1 new", 0, [], []),
    (
        AC + "- returns 1\n\nIn addition, nothing is retried on 400.\n",
        "AC-1 new, AC-2 new",
        0,
        ["prose:Acceptance Criteria"],
        [],
    ),
    (
        AC + "- a works\n\n## Security\n\nTokens MUST expire after one hour.\n",
        "AC-1 new, AC-2 new",
        0,
        ["normative:Security"],
        [],
    ),
    (
        AC + "- a works\n\n## Edge cases\n\n- An empty name gives 400\n- What happens when it rains?\n",
        "AC-1 new",
        0,
        [],
        [],
    ),
    (
        AC + "- a works\n\n## Business rules\n\n- The total is never negative\n",
        "AC-1 new, AC-2 new",
        0,
        ["perhaps:Business rules"],
        [],
    ),
    (AC + "- a works\n\n## Regression\n\n- Login works\n", "AC-1 new, AC-2 keep", 0, [], []),
    (AC + "- a works\n\n## Must not\n\n- log the secret\n", "AC-1 new, AC-2 new", 0, ["perhaps:Must not"], []),
    (
        AC + "- a works\n\n## Files not to touch\n\n- `legacy.py`\n\n## Protected files\n\n- `b.py`\n",
        "AC-1 new, AC-2 review !legacy.py, AC-3 review !b.py",
        0,
        [],
        [],
    ),
    (
        AC
        + "- a works\n\n## Constraints\n\n- `a.py`, `b.py`: do not touch\n- `tests/golden/` must stay byte-identical\n",
        "AC-1 new, AC-2 review !a.py !b.py, AC-3 review !tests/golden/",
        0,
        [],
        [],
    ),
    (AC + "- FR1: a works\n- BR 3: b works\n- AC 5: c works\n", "FR1 new, BR-3 new, AC-5 new", 0, [], []),
    ("- [ ] a\n- b\n- [x] c\n", "", 3, [], []),
    (AC + "- a returns 1\n\nFiles:\n- a.py\n", "AC-1 new", 0, [], []),
    ("### Task 1: x\n\nRun: `pytest -v`\nExpected: FAIL\n\n- [ ] do it\n", "", 1, [], []),
    (
        "> ## Acceptance Criteria\n>\n> - a returns 1\n\n# New\n\n## Acceptance Criteria\n\n- a returns 2\n",
        "AC-1 new",
        0,
        [],
        [],
    ),
    ("## Type of change\n\n- [ ] Bug fix\n\n## Acceptance Criteria\n\n- a works\n", "AC-1 new", 0, [], []),
    (
        "## Definition of Done\n\n- Code reviewed by two people\n- QA sign-off\n- Merged to main\n- Documentation updated\n- Tests added\n- No linter warnings\n- Test coverage is above 80 %\n",
        "AC-1 review, AC-2 review, AC-3 review, AC-4 review",
        0,
        [],
        [],
    ),
    (
        AC
        + "- `LICENSE` must not change\n- Generated files (`*.pb.go`) must not be edited\n- Only files in `src/csv/` may change\n- Nothing outside `src/` is modified\n- Don't modify existing tests\n- Don't edit `foo.py` or anything in `lib/`\n",
        "AC-1 review !LICENSE, AC-2 review !*.pb.go, AC-3 review, AC-4 review, AC-5 review, AC-6 review !foo.py !lib/",
        0,
        [],
        [],
    ),
    (
        AC
        + "| Criterion | Verification |\n|-|-|\n| Types are clean | `mypy src` |\n| Login works | `pytest tests/a.py` |\n",
        "AC-1 check $mypy src, AC-2 new",
        0,
        [],
        [],
    ),
    (
        AC
        + "- `make test` and `make lint` are green\n- npm test passes\n- All existing tests pass unchanged\n- No breaking changes\n",
        "AC-1 check $make test && make lint, AC-2 check, AC-3 check, AC-4 keep",
        0,
        [],
        [],
    ),
    ("## Features\n\n- Start with `pomo start`\n- CSV export\n", "AC-1 new, AC-2 new", 0, ["perhaps:Features"], []),
    ("## Requirements\n\n- User login\n- CSV export\n", "AC-1 new, AC-2 new", 0, ["perhaps:Requirements"], []),
    (
        "# X\n\n**Reviewers:** TBD\n\n| Assignee | TBD |\n|-|-|\n| Beta | TBD |\n\n## Acceptance Criteria\n\n- a works\n",
        "AC-1 new",
        0,
        [],
        [],
    ),
    ("## Tasks\n\n- [ ] TODO: find a name\n", "", 1, [], []),
    ("Hi,\n\nwe need:\n\n- a returns 1\n- b returns 2\n", "AC-1 new, AC-2 new", 0, ["list"], []),
    ("## What we want\n\n- the tool returns 1\n\n## Why\n\nbecause\n", "AC-1 new", 0, ["perhaps:What we want"], []),
    ("## Functional Requirements\n\n- **Login**\n  - a wrong password gives 401\n", "AC-1 new", 0, [], []),
    (AC + "- [ ] **AC1 - Login:** a wrong password gives 401\n", "AC1 new", 0, [], []),
    ('{"userStories":[{"id":"A","acceptanceCriteria":["TODO"]}]}', "A-AC1 new", 1, [], ["placeholder"]),
    (AC + "- a works\n\n## Do not touch\n\n- the database\n- `a.py`\n", "AC-1 new, AC-2 review !a.py", 0, [], []),
    ("## Expected behavior\n\nGiven a\nWhen b\nThen c\n", "AC-1 new", 0, [], []),
]


@pytest.mark.parametrize(("text", "criteria", "tasks", "questions", "errors"), CASES)
def test_a_text_is_read_in_the_one_way_that_a_person_means(
    text: str, criteria: str, tasks: int, questions: list[str], errors: list[str]
) -> None:
    spec = read_specification(text, "a.md")

    told = [
        " ".join(
            [
                each.id,
                each.kind,
                *(f"!{path}" for path in each.forbids),
                *([f"${each.command}"] if each.command else []),
            ]
        )
        for each in spec.criteria
    ]
    assert ", ".join(told) == criteria
    assert (len(spec.tasks), [question.key for question in spec.questions]) == (tasks, questions)
    assert [problem.code for problem in spec.problems if problem.severity is Severity.ERROR] == errors
