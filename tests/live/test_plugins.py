"""The plug-ins of this repository in the real CLIs: valid by their own check, at work where a repository opted in."""

from pathlib import Path

import pytest

from tests.live.desk import BREAK, DONE, FIX, Desk

ROOT = Path(__file__).parent.parent.parent
PLUGIN = str(ROOT / "plugins" / "dualgate")
EXTENSION = str(ROOT / "plugins" / "dualgate-gemini")
CHECKS = [
    ("claude", ("plugin", "validate", "--strict", PLUGIN), "Validation passed"),
    ("claude", ("plugin", "validate", "--strict", str(ROOT)), "Validation passed"),
    ("gemini", ("extensions", "validate", EXTENSION), "successfully validated"),
]
FALSE_DONE = [BREAK, DONE, FIX, {"text": "Fixed."}]


@pytest.mark.quick
@pytest.mark.parametrize(("host", "words", "said"), CHECKS)
def test_the_cli_itself_finds_nothing_wrong(host: str, words: tuple[str, ...], said: str, desk: Desk) -> None:
    assert said in desk.call(host, *words)


def _installed(desk: Desk) -> None:
    """The plug-in in Codex, from the marketplace of this repository."""
    config = desk.home / ".codex" / "config.toml"
    config.write_text(config.read_text().replace("plugins = false", "plugins = true"))
    desk.call("codex", "plugin", "marketplace", "add", str(ROOT))
    desk.call("codex", "plugin", "add", "dualgate@dualgate")


@pytest.mark.parametrize("host", ["codex"])
def test_codex_installs_the_plugin_and_its_hooks_send_a_false_done_back(host: str, desk: Desk) -> None:
    desk.set_up("copilot")  # any host opts the repository in
    script, printed = desk.work(host, FALSE_DONE, before=_installed)

    assert (len(script.told), script.sent_back()) == (4, 1), printed


@pytest.mark.parametrize("host", ["gemini"])
def test_gemini_links_the_extension_and_its_hooks_send_a_false_done_back(host: str, desk: Desk) -> None:
    desk.set_up("copilot")
    script, printed = desk.work(
        host, FALSE_DONE, before=lambda desk: desk.call("gemini", "extensions", "link", EXTENSION, "--consent")
    )

    assert (len(script.told), script.sent_back()) == (4, 1), printed


@pytest.mark.parametrize("host", ["claude"])
def test_the_plugin_and_the_settings_together_send_a_false_done_back_once(host: str, desk: Desk) -> None:
    desk.set_up(host)
    script, printed = desk.work(host, FALSE_DONE, "--plugin-dir", PLUGIN)

    assert (len(script.told), script.sent_back()) == (4, 1), printed


@pytest.mark.parametrize("host", ["claude"])
def test_the_plugin_alone_sends_back_where_a_repository_opted_in(host: str, desk: Desk) -> None:
    desk.set_up("codex")
    script, printed = desk.work(host, FALSE_DONE, "--plugin-dir", PLUGIN)

    assert (len(script.told), script.sent_back()) == (4, 1), printed


@pytest.mark.parametrize("host", ["claude"])
def test_the_plugin_does_nothing_in_a_repository_that_did_not_opt_in(host: str, desk: Desk) -> None:
    script, printed = desk.work(host, [BREAK, DONE], "--plugin-dir", PLUGIN)

    assert (len(script.told), script.sent_back()) == (2, 0), printed
    assert not (desk.home / ".bp-sessions").exists()
