"""Errand -> words for a CLI of gemini's family: qwen was made from it, and asks for approval in the same way."""

from collections.abc import Mapping

from dualgate.agents.client import Errand


def approval_words(errand: Errand) -> tuple[str, ...]:
    """Without a terminal, tools that would ask are not offered at all: in the default mode it can only read."""
    return (
        *errand.unless_given("--approval-mode", "yolo" if errand.may_edit else "default", "-y", "--yolo"),
        *errand.unless_given("--model", errand.model, "-m"),
        *(("--resume", errand.session) if errand.session else ()),
        *errand.args,
    )


def without_approval(errand: Errand, environment: Mapping[str, str], is_root: bool) -> str:
    """Why it could change nothing though it is to work; empty where it can."""
    del environment, is_root
    mode = errand.given("--approval-mode")
    reads_only = errand.may_edit and mode in ("default", "plan")
    return f"--approval-mode {mode} lets it change nothing without a terminal" if reads_only else ""
