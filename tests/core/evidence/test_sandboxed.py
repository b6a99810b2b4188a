import pytest

from dualgate.core.evidence.sandboxed import closed_packages, refused_in_sandbox
from dualgate.core.values.suite import Suite

READ_ONLY = "the sandbox makes {} read-only; sandbox.writable allows to write there"
SERVICE = "the sandbox hides the sockets of Docker and Podman; run with --sandbox none if the tests need them"
NETWORK = "the sandbox has no network; sandbox.network and sandbox.hosts decide about it"
CASES = [
    ("OSError: [Errno 30] Read-only file system: '/home/ada/.cache/tool/x.db'", [READ_ONLY.format("~/.cache/tool")]),
    ("EROFS: read-only file system, mkdir '/home/ada/.config/app/data'", [READ_ONLY.format("~/.config/app")]),
    ("touch: cannot touch '/var/lib/app/x': Read-only file system", [READ_ONLY.format("/var/lib/app")]),
    ("open /home/ada/.app: read-only file system", [READ_ONLY.format("~/.app")]),
    ("mkdir ~/.tool/x: Read-only file system", [READ_ONLY.format("~/.tool")]),
    ("Read-only file system: '/srv/app/x.db'", []),  # the project itself
    ("it is a read-only file system", []),
    ("AssertionError: assert '/home/ada/.cache/x' == 'y'", []),
    ("docker.errors.DockerException: Error while fetching server API version", [SERVICE]),
    ("dial unix /var/run/docker.sock: connect: no such file or directory", [SERVICE]),
    ("socket.gaierror: [Errno -3] Temporary failure in name resolution", [NETWORK]),
    ("assert 1 == 2", []),
]


@pytest.mark.parametrize(("text", "sentences"), CASES)
def test_what_the_sandbox_refused_is_read_from_the_words_of_errors(text: str, sentences: list[str]) -> None:
    assert list(refused_in_sandbox([text], "/srv/app", "/home/ada", network=False)) == sentences


def test_a_network_that_the_sandbox_leaves_is_not_the_reason() -> None:
    assert refused_in_sandbox(["Network is unreachable"], "/srv/app", "/home/ada", network=True) == ()


PROGRAMS = [
    ("/usr/bin/python3", (), "/usr/bin/python3"),
    ("/home/ada/.pyenv/shims/python", (), "/home/ada/.pyenv/shims/python"),
    ("/srv/app/.venv/bin/python", (), ""),
    ("/srv/application/.venv/bin/python", (), "/srv/application/.venv/bin/python"),
    ("/home/ada/.pyenv/shims/python", ("~/.pyenv",), ""),
    ("/opt/env/bin/python3.12", ("/opt/env/",), ""),
    ("cargo", (), "~/.cargo/registry"),
    ("cargo", ("~/.cargo/registry",), ""),
    ("cargo", ("/home/ada/.cargo/",), ""),
    ("cargo", ("~/.cache",), "~/.cargo/registry"),
    ("./mvnw", (), "~/.m2/repository"),
    ("uv", (), ""),
    ("/usr/bin/make", (), ""),
]


@pytest.mark.parametrize(("program", "writable", "closed"), PROGRAMS)
def test_packages_outside_the_project_are_closed_to_the_agent(
    program: str, writable: tuple[str, ...], closed: str
) -> None:
    suites = [Suite(name="a", command=(program, "test")), Suite(name="b", command=(program, "test"))]

    told = closed_packages(suites, "/srv/app", writable)

    assert [f": {closed} is outside the project" in each for each in told] == ([True] if closed else [])


def test_a_set_up_command_installs_outside_the_sandbox() -> None:
    suite = Suite(name="a", command=("/usr/bin/python3", "-m", "pytest"), setup=("pip", "install", "-e", "."))

    assert closed_packages([suite], "/srv/app", ()) == ()
