"""text <-> value: the one-line forms of the reviews and of the documentation."""

import re

from dualgate.core.said.packets.forms import INTEGER, named, written_names
from dualgate.core.said.packets.shapes import Line
from dualgate.core.said.packets.stretches import BLANKS
from dualgate.core.said.packets.texts import NONE, is_placeholder, settled, split_names
from dualgate.core.said.packets.values import (
    DocumentState,
    IssueCounts,
    LinkState,
    MinorIssue,
    ModuleDocument,
    ModulesAffected,
    ReviewContext,
    RootLinks,
    TaskContext,
    TaskMasterUpdate,
)

_ORPHANS = re.compile(r"[0-9]{1,18} orphaned components?", re.IGNORECASE)
_CONTEXT = re.compile(r"Task ([^,\n]+), Subtask ([^,\n]+?)(?:, Last subtask: (Yes|No))?", re.IGNORECASE)
# written in one line as the schema has it, with commas, or as a list: a count that is not read would block nothing
_COUNTS = re.compile(
    r"(?:- )?Critical: ([0-9]{1,18})[\s,;|-]+Major: ([0-9]{1,18})[\s,;|-]+Minor: ([0-9]{1,18})", re.IGNORECASE
)
_UPDATE = re.compile(
    r"Saved to subtask (\S[^\n]*)\nFiles documented: ([0-9]{1,18}) across ([0-9]{1,18}) modules?", re.IGNORECASE
)
_LINKS = re.compile(r"([0-9]{1,18}) links? in root CLAUDE\.md - (added|updated|verified)", re.IGNORECASE)


def _minor_issue(text: str) -> MinorIssue | None:
    """`[file:line] description`; the brackets may be missing where the place has no blanks."""
    if text.startswith("["):
        location, _, description = text[1:].partition("] ")
    else:
        location, _, description = text.partition(" ")
        location = location.rstrip(":")
    location, description = location.strip(BLANKS + "`"), settled(description.strip(BLANKS + "\n-–—"))
    return MinorIssue(location=location, description=description) if named(location) and description else None


def _task_context(text: str) -> TaskContext | None:
    match = _CONTEXT.fullmatch(text)
    if match is None or match[3] or any(map(is_placeholder, match.group(1, 2))):
        return None
    return TaskContext(task=match[1].strip(BLANKS), subtask=match[2].strip(BLANKS))


def _review_context(text: str) -> ReviewContext | None:
    match = _CONTEXT.fullmatch(text)
    if match is None or not match[3] or any(map(is_placeholder, match.group(1, 2))):
        return None
    last = match[3].casefold() == "yes"
    return ReviewContext(task=match[1].strip(BLANKS), subtask=match[2].strip(BLANKS), last_subtask=last)


def _issue_counts(text: str) -> IssueCounts | None:
    match = _COUNTS.fullmatch(text)
    return match and IssueCounts(critical=int(match[1]), major=int(match[2]), minor=int(match[3]))


def _integration(text: str) -> str | None:
    plain = text.casefold()
    if plain == "all connected" or not _ORPHANS.fullmatch(plain):
        return plain if plain == "all connected" else None
    return f"{int(plain.partition(' ')[0])} orphaned components"


def _structure(text: str) -> str | None:
    """`passed`, or what is wrong in any words; the template's own line offers both."""
    return None if text.startswith("passed |") else text


def _modules(text: str) -> ModulesAffected | None:
    count, _, names = text.partition(" - ")
    modules = split_names(names.strip(BLANKS))
    if not INTEGER.fullmatch(count) or is_placeholder(names) or not (modules or names.casefold() == NONE):
        return None
    return ModulesAffected(count=int(count), modules=modules)


def _task_master(text: str) -> TaskMasterUpdate | None:
    match = _UPDATE.fullmatch(text)
    if match is None or is_placeholder(match[1]):
        return None
    return TaskMasterUpdate(subtask=match[1], files=int(match[2]), modules=int(match[3]))


def _module_document(text: str) -> ModuleDocument | None:
    path, _, word = text.rpartition(" - ")
    file = path.strip(BLANKS + "`")
    state = next((member for member in DocumentState if member == word.casefold()), None)
    return ModuleDocument(file=file, state=state) if state and named(file) else None


def _root_links(text: str) -> RootLinks | None:
    match = _LINKS.fullmatch(text)
    return match and RootLinks(links=int(match[1]), state=LinkState(match[2].casefold()))


MINOR_ISSUE = Line(
    form="[file:line] description",
    type=MinorIssue,
    parse=_minor_issue,
    format=lambda value: f"[{value.location}] {value.description}",
    names=("location", "description"),
)
TASK_CONTEXT = Line(
    form="Task ID, Subtask ID",
    type=TaskContext,
    parse=_task_context,
    format=lambda value: f"Task {value.task}, Subtask {value.subtask}",
    names=("Task", "Subtask"),
)
REVIEW_CONTEXT = Line(
    form="Task ID, Subtask ID, Last subtask: Yes",
    type=ReviewContext,
    parse=_review_context,
    format=lambda v: f"Task {v.task}, Subtask {v.subtask}, Last subtask: {'Yes' if v.last_subtask else 'No'}",
    names=("Task", "Subtask", "Last subtask"),
)
ISSUE_COUNTS = Line(
    form="Critical: N | Major: N | Minor: N",
    type=IssueCounts,
    parse=_issue_counts,
    format=lambda value: f"Critical: {value.critical} | Major: {value.major} | Minor: {value.minor}",
    names=("Critical", "Major", "Minor"),
    below=True,
)
STRUCTURE = Line(form="passed | what is wrong", type=str, parse=_structure, format=str)
INTEGRATION = Line(form="all connected | N orphaned components", type=str, parse=_integration, format=str)
MODULES = Line(
    form="N - a, b, …",
    type=ModulesAffected,
    parse=_modules,
    format=lambda value: f"{value.count} - {written_names(value.modules)}",
    names=("count", "modules"),
)
TASK_MASTER = Line(
    form="Saved to subtask ID / Files documented: N across M modules",
    type=TaskMasterUpdate,
    parse=_task_master,
    format=lambda v: f"Saved to subtask {v.subtask}\nFiles documented: {v.files} across {v.modules} modules",
    names=("Saved to subtask", "Files documented", "modules"),
    below=True,
)
MODULE_DOCUMENT = Line(
    form="src/module/CLAUDE.md - created | updated",
    type=ModuleDocument,
    parse=_module_document,
    format=lambda value: f"{value.file} - {value.state}",
    names=("file", "state"),
)
ROOT_LINKS = Line(
    form="N links in root CLAUDE.md - added | updated | verified",
    type=RootLinks,
    parse=_root_links,
    format=lambda value: f"{value.links} links in root CLAUDE.md - {value.state}",
    names=("links", "state"),
    below=True,
)
