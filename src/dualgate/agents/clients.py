"""The agents whose CLIs are known. A new one is a file beside this, a line below, and its recordings in tests/data."""

from dualgate.agents import claude, codex, gemini, opencode, qwen
from dualgate.agents.client import Client

# in the order in which their output is recognised: the surer ones come first
CLIENTS: dict[str, Client] = {
    client.name: client for client in (qwen.CLIENT, claude.CLIENT, codex.CLIENT, gemini.CLIENT, opencode.CLIENT)
}
