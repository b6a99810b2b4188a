"""The switches of compiled-in probes, and the import hook that compiles them in."""

from __future__ import annotations

import builtins
import contextlib
import os
import secrets
from importlib import _bootstrap_external as external
from typing import TYPE_CHECKING, Any

from .. import witness
from . import changes, schemata, scripts, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TEST_PARTS = frozenset(("tests", "test", "testing", "conftest.py", "noxfile.py", "setup.py"))


class Switches:
    """Marks of what ran, and the probe that is active now."""

    def __init__(self, project: str) -> None:
        self.project = project
        self.name = f"__{secrets.token_hex(8)}__"
        self.ran: set[int] = set()
        self.active: set[int] = set()
        self.book = schemata.Book()
        self.codes: dict[str, Any] = {}
        self.stubbed: dict[str, str] = {}
        """Changed files as text in which every changed function writes a mark and returns a constant."""
        self.scripts: dict[str, str] = {}
        """Changed files as text without the changed code of the module itself."""
        self.without_code: list[str] = []
        """Changed files in which there is no code at all."""
        self.problems: list[str] = []
        self.before: changes.Before | None = None
        self.takes_all = False
        """Whether functions of files that did not change get stubs too."""
        setattr(builtins, self.name, self._made_hit())

    def _made_hit(self) -> Any:
        note, active = self.ran.add, self.active

        def hit(number: int) -> bool:
            note(number)
            return number in active

        return hit

    def activate(self, number: int) -> None:
        self.active.update((self.book.probes[number].entry, number))

    def compile_changed(self, before: dict[str, str]) -> None:
        """Compile the changed files of the project that are there."""
        self.before = changes.Before(before)
        for path in before:
            whole = os.path.realpath(os.path.join(self.project, path))
            if os.path.isfile(whole) and path.endswith(".py"):
                code = self._compiled(path, whole, only_stubs=False)
                if code is not None or not self.takes_all or is_test(path):
                    self.codes[whole] = code
        if not self.stubbed:
            self._stub_moved(path for path, text in before.items() if not text.strip())

    def _compiled(self, path: str, whole: str, only_stubs: bool) -> Any:
        """The code of a file with its probes; None, with a problem, if it must be compiled as it is."""
        kept = len(self.book.places), self.book.count
        try:
            source = changes.Source(read_source(whole))
            if self.before is not None and not only_stubs:
                self.before.mark(path, source)
                self._write_texts(path, source, self.before)
                if not source.changed and not any(each.changed for each in source.functions):
                    return None
            made = schemata.Instrumented(self.book, path, source, self.name, only_stubs, self.takes_all)
            return compile(made.tree, whole, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, TypeError, AttributeError, RecursionError, UnicodeError) as error:
            del self.book.places[kept[0] :]
            for number in [number for number in self.book.probes if number > kept[1]]:
                del self.book.probes[number]
            for number in [number for number in self.book.lines if number > kept[1]]:
                del self.book.lines[number]
            self.problems.append(f"{path} cannot be probed: {type(error).__name__} {error}")
            return None

    def _write_texts(self, path: str, source: changes.Source, before: changes.Before) -> None:
        """The texts for tests that run the file in another process."""
        if any(each.changed for each in source.functions):
            self.stubbed[path] = texts.stubbed(source)
        script = scripts.without_changed_code(source, before)
        if script != source.text:
            self.scripts[path] = script
        if scripts.has_no_code(source) and source.text.strip():
            self.without_code.append(path)

    def _stub_moved(self, new: Iterable[str]) -> None:
        """Stub functions that were only moved to new files: all that tests of another process can notice of a move."""
        for path in new:
            with contextlib.suppress(OSError, SyntaxError, ValueError, RecursionError):
                source = changes.Source(read_source(os.path.join(self.project, path)))
                if any(not each.skipped for each in source.functions):
                    self.stubbed[path] = texts.all_stubbed(source)

    def install(self) -> None:
        """From now on, a changed file is imported with its probes."""
        loader: Any = external.SourceLoader
        usual, switches = loader.get_code, self

        def get_code(self: Any, fullname: str) -> Any:
            code = switches.code_for(self.get_filename(fullname))
            return usual(self, fullname) if code is None else code

        loader.get_code = get_code

    def code_for(self, path: str) -> Any:
        whole = os.path.realpath(path)
        if whole not in self.codes and self.takes_all:
            self.codes[whole] = None
            if witness.within(whole, self.project):
                name = os.path.relpath(whole, self.project)
                if not is_test(name):
                    self.codes[whole] = self._compiled(name, whole, only_stubs=True)
        return self.codes.get(whole)

    def unprobed_imports(self, modules: dict[str, Any]) -> Iterator[str]:
        """Changed files that were imported before the hook was there."""
        files = {os.path.realpath(file) for file in map(file_of, list(modules.values())) if file}
        for whole in sorted(files & {path for path, code in self.codes.items() if code is not None}):
            yield os.path.relpath(whole, self.project)


def file_of(module: Any) -> str:
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) else ""


def is_test(path: str) -> bool:
    parts = path.split(os.sep)
    return not TEST_PARTS.isdisjoint(parts) or parts[-1].startswith("test_") or parts[-1].endswith("_test.py")


def read_source(path: str) -> str:
    with open(path, "rb") as file:
        return str(external.decode_source(file.read()))
