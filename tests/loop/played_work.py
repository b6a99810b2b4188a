"""Programs by the names of real CLIs that do the work of the doubling project; its code only with a strong model."""

import json
import os
import sys
from pathlib import Path

from dualgate.agents.registry import CLIENTS
from dualgate.core.values.vocabulary import Phase
from tests.live.player import WRITES, done

PROGRAM = """#!{python} -IS
import json, os, re, sys
here, name, strong, texts, files = {given!r}
words, prompt = sys.argv[1:], sys.stdin.read()
if "--version" in words:
    print("9.9.9")
    sys.exit(0)
model = words[words.index("--model") + 1] if "--model" in words else ""
phase, number = re.findall(r"in phase ([A-Z]+), iteration ([0-9]+) of", prompt)[-1]
with open(os.path.join(here, "asked.jsonl"), "a") as file:
    file.write(json.dumps([name, model, phase, int(number), "You take over this phase." in prompt]) + "\\n")
if phase != "GREEN" or model in strong:
    for path, text in files.get(phase, {{}}).items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
said, used = texts[phase], {{"input_tokens": 1000, "output_tokens": 10}}
if name == "claude":
    shown, content = model or "claude-small", [{{"type": "text", "text": said}}]
    lines = [
        {{"type": "system", "subtype": "init", "session_id": "s-" + shown, "model": shown}},
        {{"type": "assistant", "message": {{"role": "assistant", "model": shown, "content": content}}}},
        {{"type": "result", "subtype": "success", "is_error": False, "result": said, "session_id": "s-" + shown,
         "total_cost_usd": 1.0 if model in strong else 0.1, "usage": used,
         "modelUsage": {{shown: {{"inputTokens": 1000, "outputTokens": 10}}}}}},
    ]
else:
    lines = [
        {{"type": "thread.started", "thread_id": "t-1"}},
        {{"type": "item.completed", "item": {{"id": "item_0", "type": "agent_message", "text": said}}}},
        {{"type": "turn.completed", "usage": used}},
    ]
for line in lines:
    print(json.dumps(line))
"""


def play_work(folder: Path, *names: str, strong: tuple[str, ...] = ()) -> dict[str, str]:
    """Put the programs of agents into a folder; returns the environment in which they are found and logged in."""
    folder.mkdir(exist_ok=True)
    files: dict[str, dict[str, str]] = {}
    for (phase, _), written in WRITES.items():
        files.setdefault(phase.value, {}).update(written)
    texts = {phase.value: done(phase) for phase in Phase}
    for name in names:
        program = folder / CLIENTS[name].program
        given = (str(folder), name, strong, texts, files)
        program.write_text(PROGRAM.format(python=sys.executable, given=given))
        program.chmod(0o755)
    logins = {"ANTHROPIC_API_KEY": "sk-dummy", "OPENAI_API_KEY": "sk-dummy", "CODEX_API_KEY": "sk-dummy"}
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"} | logins


def asked(folder: Path) -> list[tuple[str, str, str, bool]]:
    """Program, model and phase of each call, and whether its prompt told it to take over."""
    rows = [json.loads(line) for line in (folder / "asked.jsonl").read_text().splitlines()]
    return [(name, model, phase, takes_over) for name, model, phase, _, takes_over in rows]
