"""The answer of a hook, in the protocol of each host. The exit code is always 0: with 2 most hosts block.

`SILENT` is needed at every stop: no module that is imported here may take long.
"""

import json

HOSTS = ("claude", "codex", "gemini", "copilot")
SILENT = {"claude": "", "codex": "", "gemini": "{}", "copilot": '{"decision": "allow"}'}
"""The answer to a stop with which the host goes on as if there were no hook."""
_BLOCK = {"claude": "block", "codex": "block", "gemini": "deny", "copilot": "block"}


def blocked(host: str, reason: str) -> str:
    """The agent goes on working, with the reason as its next prompt."""
    return json.dumps({"decision": _BLOCK[host], "reason": reason})


def noted(host: str, text: str) -> str:
    """The agent stops, and the person reads a line. Copilot has no field for it but the reason."""
    return json.dumps({"decision": "allow", "reason": text} if host == "copilot" else {"systemMessage": text})


def denied(host: str, reason: str) -> str:
    """A tool is not run, and the agent reads why."""
    decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    if host == "gemini":
        return blocked(host, reason)
    if host == "copilot":
        return json.dumps(decision)
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}})
