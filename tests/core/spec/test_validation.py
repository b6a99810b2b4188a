"""Which validation commands of a specification can be checks."""

import pytest

from dualgate.core.spec.reading import read_specification
from dualgate.core.spec.validation import NOT_APPROVED, RUNS, proposed_validation, validation_states

COMMANDS = [
    ("ruff check src/ --fix", "not run: no check"),
    ("mypy src/", NOT_APPROVED),
    ("uv run mypy .", NOT_APPROVED),
    ("npm run build", NOT_APPROVED),
    ("npm run lint", NOT_APPROVED),
    ("cargo clippy -- -D warnings", NOT_APPROVED),
    ("python -m app --help", NOT_APPROVED),
    ("pytest tests/ --cov=src --cov-fail-under=80", NOT_APPROVED),
    ("uv run pytest tests/ -v", "not run: the tests"),
    ("python -m pytest", "not run: the tests"),
    ("npm test", "not run: the tests"),
    ("npm run test", "not run: the tests"),
    ("go test ./...", "not run: the tests"),
    ("make test", "not run: the tests"),
    ("ruff check <new_files>", "not run: placeholder"),
    ("mypy src/{module}.py", "not run: placeholder"),
    ("mypy path/to/file.py", "not run: placeholder"),
    ("ruff check ...", "not run: placeholder"),
    ("curl -X POST http://localhost:8000/fee", "not run: no check"),
    ("uvicorn app:main --reload", "not run: no check"),
    ("python manage.py runserver", "not run: no check"),
    ("npm install", "not run: no check"),
    ("npm run dev", "not run: no check"),
    ("cd web", "not run: no check"),
    ("docker compose up", "not run: no check"),
    ("python -m app &", "not run: no check"),
    ("for file in *.py; do", "not run: no check"),
]


def spec_with(command: str) -> str:
    criteria = "## Acceptance Criteria\n\n- AC-1: [check: make docs] it works"
    return f"# x\n\n{criteria}\n\n## Validation\n\n```bash\n{command}\n```\n"


@pytest.mark.parametrize(("command", "state"), COMMANDS)
def test_only_a_command_that_can_be_a_check_is_proposed(command: str, state: str) -> None:
    spec = read_specification(spec_with(command))

    assert validation_states(spec, ()) == {command: state}
    assert proposed_validation(spec) == ((command,) if state == NOT_APPROVED else ())


def test_a_command_that_a_person_approved_runs_whatever_it_is() -> None:
    spec = read_specification(spec_with("curl http://localhost"))

    assert validation_states(spec, ("curl http://localhost",)) == {"curl http://localhost": RUNS}


def test_the_command_of_a_criterion_is_no_second_check() -> None:
    assert validation_states(read_specification(spec_with("make docs")), ()) == {"make docs": "run with a criterion"}
