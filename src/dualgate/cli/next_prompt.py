"""The action of `prompts next`: print a prompt, and the size of its parts."""

import click

from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.output import our_redactor, say, say_document, say_json
from dualgate.cli.sources import read_source
from dualgate.core.prompt.parts import FORM, Prompt
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import SessionMissing
from dualgate.session.first_prompt import first_prompt
from dualgate.session.upcoming import next_prompt


def show_next(spec: str | None, phase: Phase | None, sizes: bool, as_json: bool) -> int:
    state, prompt = _prompt(spec, phase)
    if as_json:
        say_json(_record(state, prompt))
        return 0
    if not sizes:
        say_document(prompt.text.rstrip("\n"))
    for line in size_lines(state, prompt):
        if sizes:
            say(line)
        else:
            click.echo(our_redactor().text(line), err=True)
    return 0


def _prompt(spec: str | None, phase: Phase | None) -> tuple[LoopState, Prompt]:
    host = our_host()
    if spec is None:
        try:
            return next_prompt(host, phase)
        except SessionMissing as error:
            raise SessionMissing(error.message, "Name a specification: dualgate prompts next SPEC") from error
    settings = settings_from({}).settings
    return first_prompt(read_source(spec, None, host.project, settings), host, settings, phase)


def size_lines(state: LoopState, prompt: Prompt) -> list[str]:
    """The size of each part and of the whole, by the estimate that the budget is compared with."""
    rows = [(part.name, part.tokens) for part in prompt.parts]
    widest = max(len(name) for name, _ in rows)
    budget = state.limits.prompt_tokens
    return [
        f"{state.phase}, iteration {state.iteration + 1}: about {prompt.tokens:,} of {budget:,} tokens",
        *(f"  {name:<{widest}}  {tokens:>7,}  {tokens / prompt.tokens:>4.0%}" for name, tokens in rows),
        f"  {prompt.form_share:.0%} of it is the form of the answer ({', '.join(sorted(FORM))})",
        *(f"  left out: {line}" for line in prompt.cut),
    ]


def _record(state: LoopState, prompt: Prompt) -> dict[str, object]:
    return {
        "phase": state.phase.value,
        "iteration": state.iteration + 1,
        "tokens": prompt.tokens,
        "budget": state.limits.prompt_tokens,
        "form_share": round(prompt.form_share, 3),
        "parts": [{"name": part.name, "tokens": part.tokens, "characters": len(part.text)} for part in prompt.parts],
        "cut": list(prompt.cut),
        "prompt": prompt.text,
    }
