"""Name of a module that was not found -> whether it belongs to somebody else, by the project's own dependencies.

Any other name may be a module that the work adds, so it is no mistake of a test that imports it.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

_NAME = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")
_KNOWN = frozenset(
    {
        *("numpy", "pandas", "scipy", "requests", "httpx", "aiohttp", "flask", "django", "fastapi", "sqlalchemy"),
        *("pydantic", "yaml", "hypothesis", "freezegun", "responses", "respx", "faker", "parameterized", "dateutil"),
        *("pytest_mock", "pytest_asyncio", "time_machine", "syrupy", "inline_snapshot", "factory", "attr", "attrs"),
        *("matplotlib", "sklearn", "torch", "tensorflow", "PIL", "cv2", "networkx", "sympy", "polars", "pyarrow"),
        *("boto3", "botocore", "moto", "redis", "celery", "pymongo", "psycopg", "psycopg2", "asyncpg", "alembic"),
        *("bs4", "lxml", "selenium", "playwright", "starlette", "uvicorn", "tornado", "jinja2", "click", "typer"),
        *("rich", "tqdm", "toml", "orjson", "msgspec", "cryptography", "jwt", "marshmallow", "openpyxl", "psutil"),
        *("rest_framework", "pytest_django", "django_filters", "model_bakery", "httpretty", "vcr", "testcontainers"),
        *("anyio", "trio", "nox", "mock", "assertpy", "hamcrest", "schemathesis", "docker", "paramiko", "openai"),
    }
)
"""Packages that tests use most; a project that is one of them has a file or a folder of that name."""


def is_foreign(project: Path, name: str) -> bool:
    if not name or _is_own(project, name):
        return False
    return name in _KNOWN or _plain(name) in _dependencies(project, _stamp(project))


def _is_own(project: Path, name: str) -> bool:
    places = (project / folder / name for folder in ("", "src", "lib", "tests", "test"))
    return any(place.exists() or place.with_name(f"{name}.py").exists() for place in places)


def _stamp(project: Path) -> tuple[int, ...]:
    return tuple(path.stat().st_mtime_ns for path in _files(project))


def _files(project: Path) -> list[Path]:
    return [path for path in (project / "pyproject.toml", *sorted(project.glob("requirements*.txt"))) if path.is_file()]


@lru_cache(maxsize=64)
def _dependencies(project: Path, stamp: tuple[int, ...]) -> frozenset[str]:
    del stamp
    words = (word for path in _files(project) for word in _required(path))
    return frozenset(_plain(found[1]) for word in words if (found := _NAME.match(word)))


def _required(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".txt":
        yield from text.splitlines()
        return
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    own = document.get("project", {})
    yield from _texts([own.get("dependencies", [])])
    yield from _texts(own.get("optional-dependencies", {}).values())
    yield from _texts(document.get("dependency-groups", {}).values())


def _texts(groups: Iterable[object]) -> Iterator[str]:
    for group in groups:
        yield from (each for each in group if isinstance(each, str)) if isinstance(group, list) else ()


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
