"""A composite action, step by step with bash, as a runner of GitHub runs it; the host's API is played on loopback."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
ACTION: Mapping[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")
TOKEN = "ghs_not-a-real-one"


@dataclass(slots=True, kw_only=True)
class Api:
    """The comments of a pull request, and every request that came."""

    address: str = ""
    status: int = 0
    """Answer everything with this status instead."""
    login: str = ""
    """Whose token it is; that of a build may not ask."""
    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path and authorization."""

    def answer(self, method: str, path: str, body: Mapping[str, str]) -> tuple[int, Any]:
        if self.status:
            return self.status, {}
        if path == "/user":
            return (200, {"login": self.login}) if self.login else (403, {})
        if method == "GET":
            page = int(path.rpartition("=")[2])
            return 200, self.comments[100 * (page - 1) : 100 * page]
        if method == "POST":
            self.comments.append({"id": len(self.comments) + 1, "user": self._author(), "body": body["body"]})
            return 201, self.comments[-1]
        found = self.comments[int(path.rpartition("/")[2]) - 1]
        found["body"] = body["body"]
        return 200, found

    def _author(self) -> dict[str, str]:
        return {"login": self.login or "github-actions[bot]", "type": "User" if self.login else "Bot"}


@contextmanager
def played(api: Api) -> Iterator[Api]:
    class Handler(BaseHTTPRequestHandler):
        def _any(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            api.requests.append((self.command, self.path, self.headers.get("Authorization", "")))
            status, answer = api.answer(self.command, self.path, json.loads(sent or b"{}"))
            told = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Location", f"{api.address}/elsewhere")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        do_GET = do_POST = do_PATCH = _any  # noqa: N815

        def log_message(self, *given: object) -> None:
            del given

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    api.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the steps left: the exit code of the first that failed, what they printed and wrote."""

    code: int
    log: str
    summary: str
    outputs: Mapping[str, str]
    steps: tuple[str, ...]
    environments: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A machine on which a job of one repository runs."""

    workspace: Path
    temp: Path
    environment: Mapping[str, str]

    def run(self, event: str, payload: Mapping[str, Any], api: Api | None = None, **inputs: str) -> Job:
        """Run the steps. `inputs` are as in a workflow, with `_` for `-`; `ready` is what the first step makes."""
        ready = inputs.pop("ready", "")
        self.temp.mkdir(exist_ok=True)
        (self.temp / "event.json").write_text(json.dumps(payload))
        base = payload.get("pull_request", {}).get("base", {}).get("ref", "")
        variables = {
            **self.environment,
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_API_URL": api.address if api else "https://api.invalid",
            "GITHUB_BASE_REF": base,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(self.temp / "event.json"),
            "GITHUB_REF_NAME": payload.get("ref", "refs/heads/topic").removeprefix("refs/heads/"),
            "GITHUB_REPOSITORY": "a/b",
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.temp),
        }
        given = {name: str(value.get("default", "")) for name, value in ACTION["inputs"].items()}
        given |= {"token": TOKEN} | {name.replace("_", "-"): value for name, value in inputs.items()}
        return self._steps(variables, given, {"install": {"place": ready}} if ready else {})

    def _steps(self, variables: Mapping[str, str], inputs: Mapping[str, str], done: dict[str, dict[str, str]]) -> Job:
        code, log, summary, environments = 0, "", "", dict[str, Mapping[str, str]]()
        for step in ACTION["runs"]["steps"]:
            name = step["id"]
            if name in done or not _is_run(step.get("if", ""), inputs, done, code):
                continue
            own = {key: _filled(value, inputs, done) for key, value in step["env"].items()}
            files = {f"GITHUB_{kind}": self.temp / f"{name}.{kind}" for kind in ("OUTPUT", "STEP_SUMMARY", "ENV")}
            for file in files.values():
                file.write_text("")
            environments[name] = {**variables, **own, **{key: str(file) for key, file in files.items()}}
            script = self.temp / f"{name}.sh"
            script.write_text(step["run"])
            ended = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
                cwd=self.workspace / _filled(step.get("working-directory", "."), inputs, done),
                env=dict(environments[name]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=300,
            )
            log, code = log + ended.stdout, code or ended.returncode
            summary += files["GITHUB_STEP_SUMMARY"].read_text()
            done[name] = dict(_outputs(files["GITHUB_OUTPUT"].read_text()))
            assert files["GITHUB_ENV"].read_text() == ""
        told = {name: _filled(value["value"], inputs, done) for name, value in ACTION["outputs"].items()}
        return Job(
            code=code, log=log, summary=summary, outputs=told, steps=tuple(environments), environments=environments
        )


def ready_environment(folder: Path) -> Path:
    """An environment for dualgate without an installation: it finds the packages of whoever runs the tests."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    (packages,) = (folder / "env" / "lib").glob("python*/site-packages")
    lines = [str(ROOT / "src"), *(path for path in sys.path if path.endswith("site-packages"))]
    (packages / "ours.pth").write_text("\n".join(lines) + "\n")
    return folder


def _filled(text: str, inputs: Mapping[str, str], done: Mapping[str, Mapping[str, str]]) -> str:
    def value(found: re.Match[str]) -> str:
        match found[1].split("."):
            case ["inputs", name]:
                return inputs[name]
            case ["steps", step, "outputs", name]:
                return done.get(step, {}).get(name, "")
        raise AssertionError(f"an expression that no runner here knows: {found[1]}")

    return EXPRESSION.sub(value, text)


def _is_run(condition: str, inputs: Mapping[str, str], done: Mapping[str, Mapping[str, str]], code: int) -> bool:
    """The conditions that the action has: each part of `a && b` is a comparison, or that the job is not cancelled."""
    if not condition:
        return code == 0
    (inside,) = EXPRESSION.findall(condition)
    compared = [part.split() for part in inside.split(" && ") if part != "!cancelled()"]
    signs = {"==": lambda one, other: one == other, "!=": lambda one, other: one != other}
    return all(
        signs[sign](_filled(f"${{{{ {name} }}}}", inputs, done), word.strip("'")) for name, sign, word in compared
    )


def _outputs(text: str) -> Iterator[tuple[str, str]]:
    lines = iter(text.splitlines())
    for line in lines:
        name, sign, rest = re.match(r"([\w-]+)(<<|=)(.*)", line).groups()  # type: ignore[union-attr]
        if sign == "=":
            yield name, rest
        else:
            yield name, "\n".join(iter(lambda: next(lines), rest))


def plain_environment(home: Path) -> dict[str, str]:
    """What a machine has before a job: a path, a home, and how the tests of the project are run."""
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "DUALGATE_TEST_COMMAND": f"{sys.executable} -m pytest -q",
    }
