"""The output formats by agent. A new one is a file beside this, a line below, and its recordings in tests/data."""

from dualgate.agents import claude, codex, gemini, opencode, qwen
from dualgate.agents.formats import OutputFormat

# the first that claims an event reads it, so the surer ones come first
FORMATS: tuple[OutputFormat, ...] = (
    qwen.FORMAT,
    claude.FORMAT,
    codex.FORMAT,
    gemini.FORMAT,
    opencode.FORMAT,
)
