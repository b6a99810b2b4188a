"""No prompt goes beyond its budget, however much there is to tell, and none forgets to say what was left out."""

from itertools import product

import pytest

from dualgate.core.prompt.parts import Prompt
from dualgate.core.prompt.size import tokens_of, within
from dualgate.core.prompt.writing import prepare, write_prompt
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import LoopState, Memory, Proof
from dualgate.core.values.vocabulary import Phase, Workflow
from dualgate.prompts import load_templates
from dualgate.testing import a_state, failed

TEMPLATES = prepare(load_templates())
FAILING = tuple(failed(f"test_ac{number}_holds", message="E   assert 1 == 2\n" * 50) for number in range(5000))
PROOF = Proof(baseline=FAILING, proven=FAILING, removed=tuple(result.id for result in FAILING))
BEFORE, AFTER = (
    "# Fees\n\n## Goal\n\nTell the fee.\n\n",
    "\n\n## Acceptance Criteria\n\n- AC-1: The first hour is free.\n",
)
SPECIFICATIONS = {
    "background": BEFORE + "## Background\n\n" + "word " * 400_000 + AFTER,
    "many parts": BEFORE + "".join(f"## Part {n}\n\n{'word ' * 200}\n\n" for n in range(300)) + AFTER,
    "constraints": BEFORE + "".join(f"## Constraints {n}\n\n{'never ' * 500}\n\n" for n in range(100)) + AFTER,
    "goal": "# Fees\n\n## Goal\n\n" + "Tell the fee. " * 20_000 + AFTER,
    "title": "# " + "Fees " * 60_000 + AFTER,
    "other script": "# Fees\n\n## Goal\n\n" + "料" * 100_000 + AFTER,
    "long criteria": "# Fees\n\n## Acceptance Criteria\n\n" + "".join(f"- {'fee ' * 2_000}{n}.\n" for n in range(25)),
    "many criteria": "# Fees\n\n## Acceptance Criteria\n\n" + "".join(f"- Fee {n} is told.\n" for n in range(600)),
}


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_a_huge_specification_and_5000_failing_tests_stay_within_the_budget(name: str) -> None:
    spec = read_specification(SPECIFICATIONS[name], "FEES.md")

    for phase, budget in product(Phase, (48_000, 8_000)):
        prompt = write_prompt(spec, a_loaded_state(phase, budget), TEMPLATES)

        assert prompt.tokens <= budget
        assert any("of 5,000 failing tests" in line for line in prompt.cut)
        assert text_of(prompt, "cut").count("\n- ") == len(prompt.cut)
        assert "    ---END_RALPH_STATUS---" in text_of(prompt, "answer")


def a_loaded_state(phase: Phase, budget: int) -> LoopState:
    workflow = Workflow.RALPH if phase is Phase.BUILD else Workflow.TDD
    limits, memory = Limits(prompt_tokens=budget), Memory(failing=FAILING)
    return a_state(phase=phase, workflow=workflow, limits=limits, memory=memory, proof=PROOF)


def text_of(prompt: Prompt, name: str) -> str:
    return next(part.text for part in prompt.parts if part.name == name)


@pytest.mark.parametrize("text", ["", "word " * 100, "料理" * 50, "a料" * 70])
def test_a_text_is_cut_at_the_last_character_that_fits(text: str) -> None:
    cut = within(text, 40)

    assert text.startswith(cut)
    assert tokens_of(cut) <= 40
    assert cut == text or tokens_of(text[: len(cut) + 1]) > 40
