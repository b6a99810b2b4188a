PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
DEMO := .venv-demo
ORDER := errors,core,settings,processes,languages,agents|runners|workspace|store|display,session,analyzer,verify,web|fleet|hooks|mcp|ci|notify|traces,cli
LIVE := .live
CLIS ?= claude codex copilot gemini opencode qwen
CRASH_KILLS ?= 500
# the tests that have a target of their own
CORPORA := tests/browser tests/corpus tests/crash tests/mcp tests/packaging tests/site
REAL_CLIS := tests/live

DOCS := build/docs
SITE := build/site

.PHONY: dashboard demo docs reference test test-corpus sandbox-tools browser-tools test-live live-clis lock-live test-crash check bench lock release clean

# The demo has a small environment of its own: what dualgate needs to run, and pytest.
demo: $(DEMO)/.ready
	@$(DEMO)/bin/dualgate demo

# The dashboard over your sessions, from the developers' environment.
dashboard: $(READY)
	@$(BIN)/dualgate dashboard

# Every test but those of the corpora, of pages, of crashes and of the real CLIs. Under ten minutes on two cores.
# Their files are in memory where that has room for them: on a disk, writing them takes a fifth of the time.
MEMORY := /dev/shm
ROOM_KILOBYTES := 1000000
IN_MEMORY = $(shell [ -w $(MEMORY) ] && df -Pk $(MEMORY) | awk 'NR == 2 && $$4 > $(ROOM_KILOBYTES) { print "TMPDIR=$(MEMORY)" }')
FORGETTING := -o tmp_path_retention_policy=failed
test: $(READY) sandbox-tools
	$(IN_MEMORY) $(BIN)/pytest $(FORGETTING) -n 2 --dist worksteal $(patsubst %,--ignore=%,$(CORPORA) $(REAL_CLIS))

# The corpora, whole: honest features and builds, hollow behaviours and changes, each as a run of its own, the Action and pre-commit
# with all that they install, the MCP server with a real client, pages in Chromium, packages and shells as users install them, and
# runs that are killed or refused a write. A build runs it after the tests.
test-corpus: $(READY) browser-tools
	$(BIN)/pytest -n 2 --dist worksteal $(CORPORA)

# bubblewrap, for the tests of the sandbox: installed where root can (Debian, Ubuntu), which is tried for two minutes.
# Where it is not there or cannot start, those tests are skipped and say why; no build fails for it.
INSTALL_BWRAP := apt-get install -qq -y --no-install-recommends bubblewrap
sandbox-tools:
	@[ "$$(uname)" != Linux ] || command -v bwrap >/dev/null || ! command -v apt-get >/dev/null || [ "$$(id -u)" != 0 ] || \
	  { echo "installing bubblewrap (once)"; DEBIAN_FRONTEND=noninteractive timeout 120 \
	    sh -c '$(INSTALL_BWRAP) || { apt-get update -qq && $(INSTALL_BWRAP); }' </dev/null >/dev/null 2>&1; } || \
	  echo "bubblewrap cannot be installed: the tests of the sandbox are skipped"

# Chromium, for the tests of pages: the same.
INSTALL_CHROMIUM := apt-get install -qq -y --no-install-recommends chromium
browser-tools:
	@[ "$$(uname)" != Linux ] || command -v chromium >/dev/null || ! command -v apt-get >/dev/null || [ "$$(id -u)" != 0 ] || \
	  { echo "installing Chromium (once)"; DEBIAN_FRONTEND=noninteractive timeout 180 \
	    sh -c '$(INSTALL_CHROMIUM) || { apt-get update -qq && $(INSTALL_CHROMIUM); }' </dev/null >/dev/null 2>&1; } || \
	  echo "Chromium cannot be installed: the tests of pages are skipped"

# The real CLIs of the agents, against a model that is played on loopback. It needs npm, and no key.
# CLIS="claude codex" for some of them, QUICK=1 for the tests that tell most in five minutes, SANDBOX=none or bwrap for all
# runs without or with the sandbox, whatever the default is.
test-live: $(READY) sandbox-tools live-clis
	LIVE=$(CURDIR)/$(LIVE) LIVE_CLIS="$(CLIS)" LIVE_SANDBOX="$(SANDBOX)" tests/live/alone.sh $(BIN)/pytest -n 2 $(REAL_CLIS) $(if $(QUICK),-m quick)

live-clis: $(CLIS:%=$(LIVE)/%/.ready)

# The tests of crashes, with more of what they do: CRASH_KILLS kills at random moments instead of 20; kills and refused writes
# at every change to the disk instead of one of each kind; kills at every line of a journal; 200 races, 1000 pauses of a
# session, clocks that are set three times. It takes about 45 minutes of CPU.
test-crash: $(READY)
	$(IN_MEMORY) CRASH_KILLS=$(CRASH_KILLS) $(BIN)/pytest $(FORGETTING) -n 2 --dist worksteal tests/crash
	$(BIN)/python -m bench races

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/style_metrics.py src/dualgate --check --order '$(ORDER)'
	$(BIN)/pytest -q -n 2 tests/core --cov --cov-fail-under=100

bench: $(READY)
	$(BIN)/python -m bench

# Build sdist and wheel, check them, and run the demo from the wheel in an empty environment. It uploads nothing.
release: $(READY)
	@$(BIN)/python tools/release.py

# The documents as a site in build/site: warnings are errors, then every internal link and anchor is checked.
docs: $(DOCS)/.ready
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --site-dir $(abspath $(SITE))
	@$(DOCS)/bin/python tools/check_site.py $(SITE)

# The pages that are made from the code: commands, settings, exit codes, events, JSON documents, the machine.
reference: $(READY)
	@$(BIN)/python -m tools.reference

# The lock: every version with its hashes, and no address of where it came from. It names everything, so that it is installed
# without looking for dependencies: pip would take the newest version of one that is asked for with an extra.
# run.txt is the part without which dualgate does not run: the GitHub Action installs it. demo.txt adds pytest; docs.txt builds the site.
LOCKING := pip-compile --quiet --strip-extras --allow-unsafe --generate-hashes --no-header --no-emit-options
lock: $(READY)
	$(BIN)/$(LOCKING) --extra dev --output-file requirements/lock.txt pyproject.toml
	$(BIN)/$(LOCKING) --constraint requirements/lock.txt --output-file requirements/run.txt pyproject.toml
	$(BIN)/$(LOCKING) --constraint requirements/lock.txt --extra demo --output-file requirements/demo.txt pyproject.toml
	$(BIN)/$(LOCKING) --output-file requirements/docs.txt requirements/docs.in

# The same for the CLIs of test-live, each at the version that its package.json names.
lock-live: $(CLIS:%=lock-live-%)

lock-live-%:
	@cd tests/live/clis/$* && rm -f package-lock.json && \
	  npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts $(NPM_QUIETLY)

clean:
	rm -rf .venv $(DEMO) $(LIVE) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .coverage build dist

NEEDS_PYTHON = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dualgate needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }

# pip says what it collects, one word for each package; its exit code would be lost in the pipe.
# dualgate itself is not built for it: it is run from src.
$(DEMO)/.ready: requirements/demo.txt
	@$(NEEDS_PYTHON)
	@rm -rf $(DEMO)
	@echo "setting up $(DEMO) for the demo (once): an environment and $$(grep -c == $<) packages"
	@$(PYTHON) -m venv $(DEMO)
	@{ $(DEMO)/bin/pip install --disable-pip-version-check --no-deps --require-hashes -r $< && touch $(DEMO)/.installed; } | \
	  awk '/^Collecting/ { sub(/==.*/, "", $$2); printf " %s", $$2 } /^Installing/ { printf "\n installing" } { fflush() } END { print "" }'
	@test -e $(DEMO)/.installed
	@echo "$(CURDIR)/src" > "$$($(DEMO)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/dualgate.pth"
	@printf '%s\n' '#!/bin/sh' 'exec "$$(dirname "$$0")/python" -m dualgate "$$@"' > $(DEMO)/bin/dualgate
	@chmod +x $(DEMO)/bin/dualgate
	@touch $@

$(READY): requirements/lock.txt pyproject.toml
	@$(NEEDS_PYTHON)
	@echo "setting up .venv (once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements/lock.txt
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(DOCS)/.ready: requirements/docs.txt
	@echo "setting up $(@D) (once)"
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/pip install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements/docs.txt
	@touch $@

# npm ci takes the lock at its word; those of two leave out platforms that not every registry has, which install lets pass
NPM_INSTALLS := ci
$(LIVE)/qwen/.ready $(LIVE)/opencode/.ready: NPM_INSTALLS := install
NPM_QUIETLY := --no-audit --no-fund --loglevel=error

$(LIVE)/%/.ready: tests/live/clis/%/package.json tests/live/clis/%/package-lock.json
	@echo "installing $* into $(@D) (once)"
	@mkdir -p $(@D)
	@cp $^ $(@D)
	@npm $(NPM_INSTALLS) --prefix $(@D) $(NPM_QUIETLY)
	@touch $@
