"""A name that a person or a text gives to a job -> the jobs that it stands for."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import basename, dirname, join, normpath, splitext
from unicodedata import normalize

from dualgate.core.queue.reading import Reading
from dualgate.core.values.naming import GENERIC, LONGEST_NAME, slug
from dualgate.core.values.queue import Job
from dualgate.core.values.suggestion import did_you_mean

_NOTHING = Reading()
_CODE = re.compile(r"`([^`]+)`")
_AND = re.compile(r"\s+(?:and|und|et|y|e|plus)\s+|\s*[&+]\s*", re.IGNORECASE)
_HEAD = re.compile(r"(?P<head>.+?)(?:\s*:\s|\s+[-–—]+\s|\s*[-–—]>\s)")
_NUMBERED = re.compile(r"(?:[^\W\d_][\w.]*-?)?\d[\w.-]*")
"""An id such as S-1, 004 or PRP-12."""
_LEADING = re.compile(r"(?:[^\W\d_]+[-_]?){0,2}\d+[a-z]?(?=$|[-_.:\s])", re.IGNORECASE)
_WORD = re.compile(r"[\w./-]+")
_FILES_OF_FOLDERS = GENERIC | {"design", "tasks", "plan", "bugfix"}

_ID, _PATH, _FILE, _STEM = 0, 2, 3, 4
"""Places of some of the ways to name a job. A word of a specification may mean the first and the last two of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """The jobs that a text names."""

    jobs: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    """The parts of it that name no job."""
    shared: tuple[str, ...] = ()
    """For each part that names more than one job, a sentence about it."""

    @property
    def is_sure(self) -> bool:
        return not (self.unknown or self.shared)


class Names:
    """All names of all jobs. Better ways to name a job win over others; one name of two jobs in one way names none."""

    def __init__(self, jobs: Sequence[Job], readings: Mapping[str, Reading]) -> None:
        self._jobs = tuple(jobs)
        self._specs = {job.id: job.spec for job in jobs}
        self._ways: list[dict[str, dict[str, None]]] = []
        for job in jobs:
            for number, names in enumerate(_names_by_way(job, readings.get(job.id, _NOTHING))):
                if number == len(self._ways):
                    self._ways.append({})
                for key in filter(None, map(_key, names)):
                    self._ways[number].setdefault(key, {})[job.id] = None
        self._files = [way for number, way in enumerate(self._ways) if number in (_ID, _FILE, _STEM)]

    def find(self, name: str) -> Meant:
        """The job that a person names, who sees the ids of the jobs."""
        for text in (name, normpath(name), slug(name)):
            for way in self._ways:
                if found := way.get(_key(text)):
                    return _one_of(name, tuple(found))
        return self._ending(name)

    def _named(self, name: str, by: Job) -> Meant:
        """The job that a specification names: by a path from its own folder, else in any way, that folder first."""
        path = _key(normpath(join(dirname(by.spec), name.partition("#")[0])))
        if same := self._ways[_PATH].get(path):
            return Meant(jobs=tuple(same))
        keys = {_key(name), _key(slug(name))}
        named = dict.fromkeys(job for way in self._files for key in keys for job in way.get(key, ()))
        near = [each for each in named if dirname(self._specs[each]) == dirname(by.spec)]
        found = [each for each in near or named if each != by.id]
        return _one_of(name, found) if found else self.find(name)

    def declared(self, text: str, by: Job) -> Meant:
        """The jobs that an entry of a line names: ids, names, paths or links, with or without words around them."""
        if codes := _CODE.findall(text):
            return _together(self._named(each, by) for each in codes)
        if (whole := self._named(text, by)).is_sure:
            return whole
        parts = _AND.split(text)
        if len(parts) > 1 and not (_is_numbered(parts[0]) and not any(map(_is_numbered, parts[1:]))):
            return _together(self.declared(part, by) for part in parts if part.strip())
        words = text.split()
        if (each := _together(self._named(word, by) for word in words)).is_sure:
            return each
        named = (self._named(name, by) for name in (_head(text), words[0]))
        return next((found for found in named if found.is_sure), whole)

    def mentioned(self, text: str, by: Job) -> tuple[str, ...]:
        """The jobs that an entry of a list names. Words that are no names count for nothing."""
        words = (word.rstrip("./-") for word in _WORD.findall(text))
        numbered = [word for word in words if _is_numbered(word) or "/" in word]
        found = [self.declared(text, by), *(self._named(word, by) for word in numbered)]
        return tuple(dict.fromkeys(job for each in found for job in each.jobs))

    def problems(self, meant: Meant) -> Iterator[str]:
        """Why a text names no job, or more than one."""
        for name in meant.unknown:
            close = did_you_mean(name, (each for way in self._ways for each in way))
            yield f"it needs '{name}', which is not in the queue. {close}".rstrip()
        yield from meant.shared

    def _ending(self, path: str) -> Meant:
        """The job whose path ends with this one."""
        end = f"/{_key(normpath(path)).lstrip('./')}"
        found = [job.id for job in self._jobs if "/" in path and _key(f"/{job.spec}").endswith(end)]
        return _one_of(path, found) if found else Meant(unknown=(path,))


def _one_of(name: str, found: Sequence[str]) -> Meant:
    if len(found) > 1:
        return Meant(shared=(f"'{name}' is a name of {' and '.join(found)}: give the path or the id of one",))
    return Meant(jobs=tuple(found))


def _together(found: Iterable[Meant]) -> Meant:
    jobs: dict[str, None] = {}
    unknown: dict[str, None] = {}
    shared: dict[str, None] = {}
    for each in found:
        jobs |= dict.fromkeys(each.jobs)
        unknown |= dict.fromkeys(each.unknown)
        shared |= dict.fromkeys(each.shared)
    return Meant(jobs=tuple(jobs), unknown=tuple(unknown), shared=tuple(shared))


def _is_numbered(text: str) -> bool:
    words = text[:LONGEST_NAME].split()
    return bool(words) and _NUMBERED.fullmatch(words[0].rstrip(":")) is not None


def _head(text: str) -> str:
    found = _HEAD.match(text)
    return found["head"] if found else text


def _key(name: str) -> str:
    return " ".join(normalize("NFKC", name).casefold().removeprefix("./").strip("/#").split())


def _number(job: Job, read: Reading) -> Iterator[str]:
    """The id that a title or a file name begins with: '# S-1: Parser', '004-export.md'."""
    for text in (read.title, *_folder(job), basename(job.spec)):
        if found := _LEADING.match(text[:LONGEST_NAME]):
            yield found[0]


def _folder(job: Job) -> tuple[str, ...]:
    """The folder of a file whose own name says nothing: 'specs/004-export/spec.md'."""
    return (basename(dirname(job.spec)), dirname(job.spec)) if _stem(job).casefold() in _FILES_OF_FOLDERS else ()


def _stem(job: Job) -> str:
    return splitext(basename(job.spec))[0]


def _names_by_way(job: Job, read: Reading) -> Iterator[tuple[str, ...]]:
    """The names of a job, the best way to name it first."""
    yield (job.id,)
    yield (read.spec_id,)
    yield (job.spec,)
    yield (basename(job.spec),)
    yield (_stem(job),)
    yield _folder(job)
    yield (read.title, slug(read.title)) if read.title else ()
    yield tuple(_number(job, read))
    yield (slug(_stem(job)),)
