"""Jobs in a real sandbox; where bubblewrap cannot be used, these are skipped with the reason."""

import os
import socket
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from dualgate.agents.registry import CLIENTS
from dualgate.core.values.answer import Ending
from dualgate.core.values.vocabulary import SandboxKind
from dualgate.errors import SandboxUnusable, SettingError
from dualgate.processes.job import Exit, Job
from dualgate.processes.sandbox import Confinement, require_bwrap
from dualgate.processes.supervisor import Supervisor
from dualgate.session.sandbox import confinement_of, with_sandbox
from dualgate.settings.resolving import SettingsFile, Source, resolve
from dualgate.testing import a_control, a_host

Run = Callable[..., tuple[Exit, str]]


@pytest.fixture
def confinement(tmp_path: Path) -> Confinement:
    try:
        program = require_bwrap(os.environ)
    except SandboxUnusable as error:
        pytest.skip(error.message)
    for name in ("project/.session", "home/.ssh", "home/.claude", "home/.bp-sessions/project"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "home/.ssh/id").write_text("key")
    (tmp_path / "home/.netrc").write_text("password")
    (tmp_path / "home/notes").write_text("notes")
    (tmp_path / "home/.bp-sessions/project/journal.jsonl").write_text("truth")
    return Confinement(
        program=program,
        project=tmp_path / "project",
        home=tmp_path / "home",
        sealed=(tmp_path / "home/.bp-sessions", tmp_path / "project/.session"),
        hidden=(tmp_path / "home/.claude",),
    )


def inside(confinement: Confinement, folder: Path, script: str, **values: object) -> tuple[Exit, str]:
    own = {"UV_CACHE_DIR": str(values["uv"])} if "uv" in values else {}
    job = Job(
        argv=("/bin/sh", "-c", script),
        cwd=confinement.project,
        environment={"PATH": f"{os.environ['PATH']}:{values.get('path', '')}", "HOME": str(confinement.home)} | own,
        stdout=folder / "stdout",
        stderr=folder / "stderr",
        confined=True,
        writable=(confinement.home / ".claude",) if values.get("is_agent") else (),
        reads_only=bool(values.get("reads_only")),
    )
    supervisor = Supervisor(os.environ)
    with supervisor.confined_by(confinement.wrap):
        ended = supervisor.supervise(job, a_control())
    return ended, job.stdout.read_text() + job.stderr.read_text()


def test_the_project_is_writable_and_nothing_else(confinement: Confinement, tmp_path: Path) -> None:
    places = ("made", "$HOME/made", "$HOME/.claude/made", "/etc/made", "/tmp/made")

    _, said = inside(confinement, tmp_path, "; ".join(f"echo 1 > {place}" for place in places))

    assert (tmp_path / "project/made").read_text() == "1\n"
    assert said.count("Read-only file system") == 2
    assert not any(
        path.exists() for path in (tmp_path / "home/made", tmp_path / "home/.claude/made", Path("/etc/made"))
    )
    assert not Path("/tmp/made").exists()


def test_a_reviewer_cannot_write_the_project_nor_a_writable_folder_in_it(
    confinement: Confinement, tmp_path: Path
) -> None:
    (tmp_path / "project/cache").mkdir()
    lax = replace(confinement, writable=(tmp_path / "project/cache",))

    _, said = inside(lax, tmp_path, "echo 1 > made; echo 1 > cache/made; echo 1 > /tmp/made", reads_only=True)

    assert said.count("Read-only file system") == 2
    assert not [*tmp_path.glob("project/**/made")]


def test_an_agent_writes_where_it_keeps_its_own_things(confinement: Confinement, tmp_path: Path) -> None:
    inside(confinement, tmp_path, "echo 3 > $HOME/.claude/made", is_agent=True)

    assert (tmp_path / "home/.claude/made").read_text() == "3\n"


def test_tools_have_caches_of_the_sandbox_that_last_and_the_user_may_choose_others(
    confinement: Confinement, tmp_path: Path
) -> None:
    cached = replace(confinement, caches=tmp_path / "home/.cache/dualgate/sandbox/1")
    script = "mkdir -p $npm_config_cache && echo 1 >> $npm_config_cache/made; echo $UV_CACHE_DIR"

    inside(cached, tmp_path, script)
    _, said = inside(cached, tmp_path, script, uv="/elsewhere")

    assert (tmp_path / "home/.cache/dualgate/sandbox/1/npm/made").read_text() == "1\n1\n"
    assert said == "/elsewhere\n"


def test_home_can_be_read_but_for_keys_logins_and_sessions(confinement: Confinement, tmp_path: Path) -> None:
    _, said = inside(confinement, tmp_path, "cat $HOME/notes; ls $HOME/.ssh $HOME/.bp-sessions; cat $HOME/.netrc")

    assert "notes" in said
    assert not any(secret in said for secret in ("id", "password", "project"))


def test_a_program_in_a_temporary_folder_is_found_with_its_package_and_stays_as_it_is(
    confinement: Confinement, tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        (folder / "package").mkdir()
        (folder / "package" / "tool.sh").write_text("#!/bin/sh\necho here; echo x > $0\n")
        (folder / "package" / "tool.sh").chmod(0o755)
        (folder / ".bin").mkdir()
        (folder / ".bin" / "tool").symlink_to("../package/tool.sh")
        _, said = inside(confinement, tmp_path, f"{folder}/.bin/tool", path=str(folder / ".bin"))

    assert said.startswith("here\n")
    assert "Read-only file system" in said


def test_what_is_written_over_a_session_does_not_reach_it(confinement: Confinement, tmp_path: Path) -> None:
    inside(confinement, tmp_path, "rm -rf $HOME/.bp-sessions/* .session/*; echo forged > .session/journal.jsonl")

    assert (tmp_path / "home/.bp-sessions/project/journal.jsonl").read_text() == "truth"
    assert list((tmp_path / "project/.session").iterdir()) == []


@pytest.mark.parametrize("name", [".bp-sessions", ".bp-sessions/project", "link"])
def test_no_setting_opens_the_sessions(confinement: Confinement, tmp_path: Path, name: str) -> None:
    (tmp_path / "home/link").symlink_to(tmp_path / "home/.bp-sessions/project")
    opened = replace(confinement, writable=(confinement.home / name,))

    _, said = inside(opened, tmp_path, "cat $HOME/.bp-sessions/*/*; echo forged > $HOME/.bp-sessions/project/made")

    assert "truth" not in said
    assert not (tmp_path / "home/.bp-sessions/project/made").exists()


WAYS_OUT = (
    "umount {sealed}",
    "umount -l {sealed}",
    "mount -o remount,rw,bind /",
    "unshare -Urm umount {sealed}",
    "unshare -Urm mount --rbind / /mnt",
)


@pytest.mark.parametrize("way", WAYS_OUT)
def test_what_covers_a_session_cannot_be_taken_away_by_root_either(
    way: str, confinement: Confinement, tmp_path: Path
) -> None:
    sealed = confinement.home / ".bp-sessions"

    _, said = inside(confinement, tmp_path, f"{way.format(sealed=sealed)}; cat {sealed}/*/*; echo 1 > $HOME/made")

    assert "truth" not in said
    assert not (tmp_path / "home/made").exists()


@pytest.mark.parametrize("is_hidden", [False, True])
def test_without_a_network_only_a_hidden_socket_cannot_be_reached(
    confinement: Confinement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_hidden: bool
) -> None:
    monkeypatch.chdir(confinement.home)  # the path of a socket is short
    place, hidden = confinement.home / "service", confinement.hidden
    asking = f"import socket; socket.socket(socket.AF_UNIX).connect('{place.name}'); print('connected')"
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(place.name)
        service.listen()
        alone = replace(confinement, network=False, hidden=(*hidden, place) if is_hidden else hidden)
        _, said = inside(alone, tmp_path, f'cd $HOME && {os.path.realpath(sys.executable)} -c "{asking}"')

    assert ("connected" in said) is not is_hidden
    assert ("Connection refused" in said or "Permission denied" in said) is is_hidden


def test_settings_of_the_kernel_cannot_be_written_by_root_either(confinement: Confinement, tmp_path: Path) -> None:
    setting = "/proc/sys/kernel/printk_ratelimit"

    # opened for writing, and nothing is written
    _, said = inside(confinement, tmp_path, f"cat {setting} && (: >> {setting}) && echo opened")

    assert said.splitlines()[0] == Path(setting).read_text().strip()
    assert "opened" not in said


def test_a_hidden_folder_stays_hidden_if_the_folder_around_it_is_moved(
    confinement: Confinement, tmp_path: Path
) -> None:
    secrets = confinement.project / "config/prod/secrets"
    secrets.mkdir(parents=True)
    (secrets / "key").write_text("secret")
    hiding = replace(confinement, hidden=(secrets,))

    inside(hiding, tmp_path, "mv config other; mv config/prod other; echo 1 > config/prod/made")
    _, said = inside(hiding, tmp_path, "cat */secrets/key */*/secrets/key")

    assert sorted(path.name for path in secrets.parent.iterdir()) == ["made", "secrets"]
    assert "secret" not in said.replace("secrets", "")
    assert (secrets / "key").read_text() == "secret"


def test_a_link_in_place_of_a_writable_folder_of_the_project_leads_nowhere(
    confinement: Confinement, tmp_path: Path
) -> None:
    cache = confinement.project / "build/cache"
    cache.mkdir(parents=True)
    shared = tmp_path / "shared"
    shared.mkdir()
    writing = replace(confinement, writable=(cache, confinement.project / "../shared"))

    inside(writing, tmp_path, "mv build other; mkdir build; ln -s $HOME build/cache")
    inside(writing, tmp_path, "echo 1 > $HOME/made; echo 1 > build/made; echo 1 > ../shared/made")

    assert not (confinement.home / "made").exists()
    assert (confinement.project / "build/made").exists()
    assert (shared / "made").exists()


def test_what_leaves_its_session_dies_with_the_job(confinement: Confinement, tmp_path: Path) -> None:
    ended, _ = inside(confinement, tmp_path, "setsid sleep 98765 & exit 3")

    assert (ended.code, ended.ending) == (3, Ending.EXITED)
    assert not [process for process in psutil.process_iter(["cmdline"]) if "98765" in (process.info["cmdline"] or ())]


def test_other_processes_and_the_network_are_not_seen(confinement: Confinement, tmp_path: Path) -> None:
    alone = replace(confinement, network=False)

    _, said = inside(alone, tmp_path, f"ls -d /proc/{os.getpid()}; wc -l < /proc/net/dev")

    assert "No such file" in said
    assert said.splitlines()[0] == "3"  # two lines of heading, and the loopback


def test_one_that_hangs_without_working_is_ended(confinement: Confinement, tmp_path: Path) -> None:
    job = Job(
        argv=("sleep", "98764"),
        cwd=confinement.project,
        environment=os.environ,
        stdout=tmp_path / "stdout",
        stderr=tmp_path / "stderr",
        confined=True,
    )

    supervisor = Supervisor(os.environ)
    with supervisor.confined_by(confinement.wrap):
        ended = supervisor.supervise(job, replace(a_control(), idle=0.5))

    assert ended.ending is Ending.IDLE


def test_without_bubblewrap_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnusable) as caught:
        require_bwrap({"PATH": str(tmp_path)})

    assert "apt install bubblewrap" in caught.value.next_step or sys.platform != "linux"


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
def test_one_that_can_make_no_sandbox_is_told_with_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)

    with pytest.raises(SandboxUnusable, match="No permissions to create new namespace") as caught:
        require_bwrap({"PATH": f"{tmp_path}:{os.environ['PATH']}"})

    assert "user namespaces" in caught.value.next_step


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
@pytest.mark.parametrize("on_path", ["{project}/.venv/bin", ".venv/bin"])
def test_a_bubblewrap_that_an_agent_put_into_the_project_is_never_run(on_path: str, tmp_path: Path) -> None:
    tools = tmp_path / "project/.venv/bin"
    tools.mkdir(parents=True)
    (tools / "bwrap").write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    (tools / "bwrap").chmod(0o755)

    with pytest.raises(SandboxUnusable, match="no program 'bwrap'"):
        require_bwrap({"PATH": on_path.format(project=tmp_path / "project")}, tmp_path / "project")

    assert not (tmp_path / "was-run").exists()


WORKING = "#!/bin/sh\nexit 0\n"
FAILING = "#!/bin/sh\necho 'bwrap: Creating new namespace failed' >&2\nexit 1\n"
CHOICES: list[tuple[dict[str, object], str, SandboxKind, str]] = [
    # the agents of a run, the bwrap that is installed, the sandbox, and what the user is told
    ({"agent": "claude"}, WORKING, SandboxKind.BWRAP, ""),
    (
        {"agent": "codex:gpt-5.5", "qa_agent": "gemini", "fallback": ["qwen", "opencode"]},
        WORKING,
        SandboxKind.BWRAP,
        "",
    ),
    ({"agent": "claude"}, "", SandboxKind.NONE, "Install it (apt install bubblewrap"),
    ({"agent": "claude"}, FAILING, SandboxKind.NONE, "Creating new namespace failed It needs user namespaces"),
    ({"agent_command": "my-agent --quick"}, WORKING, SandboxKind.NONE, "my-agent --quick is not a known CLI."),
    ({"agent": "claude", "qa_agent_command": "look"}, WORKING, SandboxKind.NONE, "--sandbox bwrap confines any"),
    ({"agent": "claude", "fallback": ["command:other"]}, WORKING, SandboxKind.NONE, "other is not a known CLI."),
    ({"agent": "rehearsal:honest"}, WORKING, SandboxKind.NONE, ""),
    ({"agent": "claude", "sandbox": "none"}, WORKING, SandboxKind.NONE, ""),
    ({"agent_command": "my-agent", "sandbox": "bwrap"}, "", SandboxKind.BWRAP, ""),
]


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
@pytest.mark.parametrize(("given", "bwrap", "kind", "told"), CHOICES)
def test_known_agents_are_confined_by_default_where_bubblewrap_works_and_otherwise_the_user_is_told(
    given: dict[str, object], bwrap: str, kind: SandboxKind, told: str, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    if bwrap:
        (tmp_path / "bin/bwrap").write_text(bwrap)
        (tmp_path / "bin/bwrap").chmod(0o755)
    said: list[str] = []
    host = replace(a_host(tmp_path / "project", {"PATH": str(tmp_path / "bin")}), tell=said.append)

    settings = with_sandbox(resolve({}, given).settings, host)

    assert settings.sandbox.kind is kind
    assert (len(said), told in "".join(said)) == (bool(told), True)


def test_the_sandbox_is_named_by_flag_variable_and_file_alike() -> None:
    by_flag = resolve({}, {"sandbox": "bwrap"}).settings
    by_variable = resolve({"DUALGATE_SANDBOX": "bwrap"}, {}).settings

    assert by_flag == by_variable == resolve({"DUALGATE_SANDBOX_KIND": "bwrap"}, {}).settings
    assert by_flag.sandbox.kind is SandboxKind.BWRAP


@pytest.mark.parametrize("text", ['sandbox = "bwrap"', '[sandbox]\nkind = "bwrap"', 'sandbox.kind = "bwrap"'])
def test_a_file_may_name_it_alone_or_with_what_belongs_to_it(text: str) -> None:
    file = SettingsFile(path="dualgate.toml", source=Source.PROJECT_FILE, text=text)

    assert resolve({}, {}, [file]).settings.sandbox.kind is SandboxKind.BWRAP


def test_services_need_a_network(tmp_path: Path) -> None:
    given = {"DUALGATE_SANDBOX": "bwrap", "DUALGATE_SANDBOX_NETWORK": "false", "DUALGATE_ENV_UP": "serve"}

    with pytest.raises(SettingError, match="cannot reach what"):
        confinement_of(resolve(given, {}).settings, tmp_path, os.environ)


def test_every_client_says_where_it_keeps_its_things() -> None:
    folders = {name: client.folders({"HOME": "/home/bob"}) for name, client in CLIENTS.items()}

    assert folders["claude"][:2] == (Path("/home/bob/.claude"), Path("/home/bob/.claude.json"))
    assert folders["codex"] == (Path("/home/bob/.codex"),)
    assert folders["gemini"] == (Path("/home/bob/.gemini"),)
    assert folders["opencode"][0] == Path("/home/bob/.local/share/opencode")
