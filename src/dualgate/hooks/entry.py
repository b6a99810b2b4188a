"""`dualgate hook start|stop|edit --host HOST`: read the host's JSON, answer in its protocol, exit with 0.

Most stops change nothing: they are answered here, from the record of the session, before anything else is imported.
An exit code of 2 would block the agent, and an error of ours must not: every error becomes a note for the person.
"""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dualgate.hooks.answers import HOSTS, SILENT, noted
from dualgate.hooks.opting import has_opted_in
from dualgate.hooks.origin import project_of, session_of

EVENTS = ("start", "stop", "edit")
_LARGEST_INPUT = 64 << 20
_NOT_JSON = "dualgate: the input of the hook is no JSON object; the work was not verified."


def is_hook_call(arguments: list[str]) -> bool:
    """Whether these arguments are those that settings of hosts hold; all others are for the command line."""
    is_form = len(arguments) == 4 and (arguments[0], arguments[2]) == ("hook", "--host")
    return is_form and arguments[1] in EVENTS and arguments[3] in HOSTS


def answer_call(event: str, host: str, budget: float | None = None) -> int:
    """Print the answer to a hook; never raise, and never exit with another code."""
    try:
        answer = _answer(event, host, sys.stdin.buffer.read(_LARGEST_INPUT), os.environ, budget)
    except KeyboardInterrupt:
        answer = _silent(event, host)
    except Exception as error:  # whatever is wrong with us, the agent may stop, and the person reads it
        answer = noted(host, f"dualgate: the hook failed, and the work was not verified: {_named(error)}")
    if answer:
        print(answer)
    return 0


def _answer(event: str, host: str, given: bytes, environment: Mapping[str, str], budget: float | None) -> str:
    payload = _object(given)
    if payload is None:
        return _silent(event, host) if event != "stop" else noted(host, _NOT_JSON)
    if event == "edit":
        from dualgate.hooks.editing import answer_edit

        return answer_edit(host, payload, environment)
    if event == "stop" and _is_settled(payload, environment):
        return SILENT[host]
    from dualgate.processes.tags import OWNER

    if environment.get(OWNER):  # inside a call of a run, which judges the work itself
        return _silent(event, host)
    if event == "start":
        from dualgate.hooks.starting import remember_start

        remember_start(payload, environment)
        return ""
    from dualgate.hooks.stopping import answer_stop

    return answer_stop(host, payload, environment, budget=budget)


def _is_settled(payload: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    """Whether there is nothing to look at: the tree is as it was last seen, or the repository did not opt in."""
    from dualgate.processes.worktrees import nearest_repository
    from dualgate.store.hook_records import read_record, record_of
    from dualgate.workspace.tree_key import tree_key

    session = session_of(payload)
    record = read_record(record_of(session, environment)) if session else {}
    if not record:
        root = nearest_repository(project_of(payload, environment))
        return root is None or not has_opted_in(root)
    root, tree = record.get("root"), record.get("tree")
    return bool(root and tree and not record.get("refused")) and tree_key(Path(str(root))) == tree


def _silent(event: str, host: str) -> str:
    return SILENT[host] if event == "stop" else ""


def _object(given: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(given.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _named(error: Exception) -> str:
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
