"""The first prompt of each phase: its size, the share of it that is the form of an answer, the time to write it."""

import time
from dataclasses import replace

from dualgate.core.prompt.writing import prepare, write_prompt
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.brief import Brief
from dualgate.core.values.changes import FileChange, FileDiff
from dualgate.core.values.state import Memory
from dualgate.core.values.suite import Suite
from dualgate.core.values.vocabulary import Phase, Workflow
from dualgate.prompts import load_templates
from dualgate.testing import a_state, failed

SPEC = """# Parcel fees

## Background
The shop charges a fee for each parcel. `shop/fees.py` holds the tables, and `shop/__init__.py` exports the functions.

## Goal
A function `fee(grams)` that returns the fee of a parcel in cents.

## Acceptance Criteria
- AC-1: up to 500 g the fee is 290
- AC-2: up to 2000 g the fee is 490
- AC-3: more than 2000 g raises ValueError

## Constraints
- No new dependencies.
- Do not touch `shop/_legacy.py`.
"""
# characters of the same prompts, and their share of form, before prompts were made of parts (2026-11-17)
BEFORE = {
    Phase.RED: (3850, 0.47),
    Phase.GREEN: (3904, 0.61),
    Phase.REFACTOR: (4217, 0.63),
    Phase.DOCUMENT: (2926, 0.48),
    Phase.QA: (5030, 0.56),
    Phase.BUILD: (1693, 0.44),
}
TIMES = 20
BRIEF = Brief(
    suites=(Suite(name="pytest", command=("python", "-m", "pytest"), runner="pytest"),), instructions=("AGENTS.md",)
)
LINES = "".join(f"+line {number} of the new code\n" for number in range(20))
DIFFS = (FileDiff(path="shop/fees.py", change=FileChange.NEW, diff=f"@@ -0,0 +1,20 @@\n{LINES}", added=20),)
"""What a review of such a work sees, which no prompt held before."""
RED_TESTS = tuple(failed(f"test_ac{number}", message=f"E   NameError: fee {number}") for number in (1, 2, 3))


def main() -> None:
    spec, templates = read_specification(SPEC, "SPEC.md"), prepare(load_templates())
    print("phase      characters   before   form   before   ms")
    for phase in Phase:
        workflow = Workflow.RALPH if phase is Phase.BUILD else Workflow.TDD
        memory = Memory(failing=RED_TESTS) if phase is Phase.GREEN else Memory()
        state = a_state(phase=phase, workflow=workflow, memory=memory)
        brief = replace(BRIEF, diffs=DIFFS) if phase is Phase.QA else BRIEF
        start = time.process_time()
        for _ in range(TIMES):
            prompt = write_prompt(spec, state, templates, brief)
        spent = 1000 * (time.process_time() - start) / TIMES
        size, share = BEFORE[phase]
        print(f"{phase:<9} {len(prompt.text):>11,} {size:>8,} {prompt.form_share:>6.0%} {share:>8.0%} {spent:>4.0f}")
