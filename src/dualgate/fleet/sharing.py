"""A virtual environment of a checkout -> a small one of a worktree, which reads the packages of the first.

Its own folder for packages comes first, so that whatever is installed there stays there. Packages that are installed in
place (editable) lead to the worktree instead of the checkout.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

SHARED = "00-shared-packages.pth"
"""Python reads such files in the order of their names: this one first, since the others may import from it."""
CONFIGURATION = "pyvenv.cfg"
PACKAGES = "site-packages"
DROPPED = re.compile(r"(?m)^(command|prompt)\s*=.*\n?")
LARGEST_SCRIPT = 1 << 20
LONGEST_SHEBANG = 127
# as pip writes scripts whose interpreter has a long path: a shell starts it, and Python reads the lines as a text
BY_SHELL = b"#!/bin/sh\n'''exec' \"%s\" \"$0\" \"$@\"\n' '''"
IGNORED = "*\n"


def is_shareable(environment: Path) -> bool:
    """Whether a folder is a virtual environment that another one can read the packages of."""
    return (environment / CONFIGURATION).is_file() and any(_packages(environment))


def leads_into(installation: Path, origin: Path) -> bool:
    """Whether a package of a checkout is installed in place in an environment of conda, or in a Python itself."""
    with suppress(OSError):
        files = (file for packages in _packages(installation) for file in packages.iterdir())
        return any(_names(file, origin) for file in files)
    return False


def _names(file: Path, origin: Path) -> bool:
    """Whether a file of an editable install names a folder."""
    is_way = file.suffix in (".pth", ".egg-link") or file.name.startswith("__editable__")
    if not is_way or not file.is_file() or file.stat().st_size > LARGEST_SCRIPT:
        return False
    content = file.read_bytes()
    return moved_bytes(content, origin, origin / "elsewhere") != content


def share_environment(source: Path, target: Path, origin: Path, root: Path) -> None:
    """Make `target`, which reads the packages of `source`; paths below `origin` lead to `root` in it."""
    (target / "bin").mkdir(parents=True)
    (target / ".gitignore").write_text(IGNORED)
    for packages in _packages(source):
        own = target / packages.relative_to(source)
        own.mkdir(parents=True)
        _lead_packages(packages, own, origin, root)
    if (source / "lib64").is_symlink():
        (target / "lib64").symlink_to("lib")
    is_environment = (source / CONFIGURATION).is_file()
    for each in sorted((source / "bin").iterdir()):
        if is_environment or _is_of_python(each, source):
            _take_over(each, target / "bin" / each.name, source, target, links=not is_environment)
    # last: without it the folder is no environment
    (target / CONFIGURATION).write_text(_configuration(source))


def _configuration(source: Path) -> str:
    """The file that makes an environment; an installation itself, such as one of conda, has none."""
    file = source / CONFIGURATION
    if file.is_file():
        return DROPPED.sub("", file.read_text())
    version = _packages(source)[0].parent.name.removeprefix("python")
    return f"home = {source}/bin\ninclude-system-site-packages = false\nversion = {version}\n"


def _is_of_python(file: Path, source: Path) -> bool:
    """Whether a program of an installation is its Python, or a script that starts it; others are found on the PATH."""
    if _is_python(file):
        return True
    with suppress(OSError), file.open("rb") as content:
        return content.read(1024).startswith(b"#!" + os.fsencode(source / "bin" / "python"))
    return False


def _packages(environment: Path) -> list[Path]:
    return sorted(environment.glob(f"lib/python*/{PACKAGES}"))


def _lead_packages(packages: Path, own: Path, origin: Path, root: Path) -> None:
    """Name the shared packages, and write again what leads from them into the checkout."""
    shared = [str(packages), *_read_through(packages)]
    (own / SHARED).write_text("\n".join(dict.fromkeys(shared)) + "\n")
    for file in sorted(packages.iterdir()):
        if file.suffix == ".pth" and file.name != SHARED:
            (own / file.name).write_text("".join(_led(file, origin, root)))
        elif file.suffix in (".py", ".egg-link") and file.is_file() and file.stat().st_size <= LARGEST_SCRIPT:
            content = file.read_bytes()
            if (led := moved_bytes(content, origin, root)) != content:
                (own / file.name).write_bytes(led)


def _read_through(packages: Path) -> Iterator[str]:
    """The packages that an environment of a worktree shares itself."""
    with suppress(OSError):
        yield from filter(None, (packages / SHARED).read_text().splitlines())


def _led(file: Path, origin: Path, root: Path) -> Iterator[str]:
    """The lines of a file of paths. A line may also import a module, with paths in it."""
    for line in file.read_text(errors="surrogateescape").splitlines(keepends=True):
        place = Path(line.strip())
        if place.is_absolute() and PACKAGES not in place.parts:
            real = Path(os.path.realpath(place))
            yield f"{root / real.relative_to(origin)}\n" if real.is_relative_to(origin) else line
        else:
            yield os.fsdecode(moved_bytes(os.fsencode(line), origin, root))


def moved_bytes(content: bytes, origin: Path, root: Path) -> bytes:
    """A text with the paths of a folder in another one; a folder whose name only begins alike is another folder."""
    whole = re.compile(re.escape(os.fsencode(origin)) + rb"(?=[/'\"\r\n]|$)")
    return whole.sub(lambda _: os.fsencode(root), content)


def _take_over(file: Path, target: Path, source: Path, own: Path, *, links: bool) -> None:
    """A program of an environment: scripts start the new interpreter, all else is linked; with `links` Python, too."""
    if links and _is_python(file):
        target.symlink_to(file)
    elif file.is_symlink():
        target.symlink_to(file.readlink() if _is_python(file) else file)
    elif _is_python(file):
        shutil.copy2(file, target)
    elif file.is_file():
        content = file.read_bytes() if file.stat().st_size <= LARGEST_SCRIPT else b""
        if b"\0" in content[:1024] or not content:
            target.symlink_to(file)
        else:
            target.write_bytes(_started_by(content, source, own))
            shutil.copymode(file, target)


def _is_python(file: Path) -> bool:
    return re.fullmatch(r"python[\d.]*|pypy[\d.]*", file.name) is not None


def _started_by(content: bytes, source: Path, own: Path) -> bytes:
    moved = moved_bytes(content, source, own)
    first, _, rest = moved.partition(b"\n")
    if first.startswith(b"#!") and len(first) > LONGEST_SHEBANG and moved != content:
        return BY_SHELL % first[2:].strip() + b"\n" + rest
    return moved
