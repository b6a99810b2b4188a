PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
ORDER := errors,core,settings,process,agents|runners|workspace|store|display,recording|analyzer,loop|web,fleet,cli

.PHONY: demo test check bench lock clean

demo: $(READY)
	@$(BIN)/dualgate demo

test: $(READY)
	$(BIN)/pytest -n 2

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/style_metrics.py src/dualgate --check --order '$(ORDER)'
	$(BIN)/pytest -q -n 2 tests/core --cov --cov-fail-under=100

bench: $(READY)
	$(BIN)/python -m bench

# The lock: every version with its hashes, and no address of where it came from.
lock: $(READY)
	$(BIN)/pip-compile --quiet --strip-extras --allow-unsafe --generate-hashes --no-header \
	  --no-emit-options --extra dev --output-file requirements/lock.txt pyproject.toml

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .coverage build dist

$(READY): requirements/lock.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dualgate needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "setting up .venv (once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r requirements/lock.txt
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
