"""Text of a criterion -> its kind: how it can be proven. Unsure means `new`."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from dualgate.core.spec.constraints import forbidden_paths
from dualgate.core.spec.statements import STATEMENT
from dualgate.core.spec.wording import CODE, Wording, codes
from dualgate.core.values.specification import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class HowProven:
    """How a criterion is proven, as its text says."""

    kind: Kind
    inferred: bool = True
    command: str = ""
    exit_code: int = 0
    prints: str = ""
    forbids: tuple[str, ...] = ()


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_PASSES = r"(?:pass(?:es|ing)?|succeeds?|green)"
_SUITE = _any(
    r"\b(?:all|every|existing|the (?:whole|full|entire|existing))\b[^.]{0,40}\btests?(?: suites?)?\b[^.]{0,30}"
    rf"\b{_PASSES}\b(?=\s*(?:$|[.;,!]|and\b|in ci\b|on\b|after\b|again\b|without\b|unchanged\b))",
    r"\btest suite\b[^.]{0,20}\b(?:pass(?:es)?|(?:is|stays) green)\b",
    r"^(?:there (?:are|is) )?no (?:test )?regressions?(?= in (?:the )?(?:existing|other)|[.!]?$)",
    r"^tests? (?:still )?pass(?:es)?[.!]?$",
    r"^`?(?:npm|yarn|pnpm|bun|cargo|go|make|deno)(?: run)? tests?`? (?:still )?pass(?:es)?[.!]?$",
)
# tools that look at a project; a program that the project itself provides is behaviour, and needs a test
_TOOLS = (
    r"make|just|task|npm|npx|pnpm|yarn|tsc|eslint|prettier|vitest|jest|playwright|ruff|mypy|pyright|pytest|tox|nox|black"
    r"|isort|flake8|pylint|bandit|pre-commit|uv run|uvx|poetry run|pdm run|hatch run|pip-audit|cargo|go|golangci-lint"
    r"|gofmt|mvn|gradle|\./gradlew|\./mvnw|dotnet|bundle exec|rake|rspec|rubocop|composer|phpunit|phpstan|mix|swift"
    r"|terraform|shellcheck|hadolint|actionlint|cmake|ctest|mkdocs|sphinx-build|lint-imports|typos|codespell"
    r"|markdownlint|yamllint|python3? -m (?:pytest|mypy|ruff|unittest|build|compileall|black|flake8|pylint|tox|nox)"
)
COMMAND = re.compile(rf"(?:[A-Z_]+=\S+\s+)*(?:(?:{_TOOLS})(?:\s.*)?|\./[\w./-]+(?:\s.*)?)", re.DOTALL)
_SUCCEEDS = _any(
    rf"\b(?:{_PASSES}|successful(?:ly)?|clean|is happy)\b",
    r"\bexits? (?:with )?(?:code |status )?(?P<code>\d{1,3})\b",
    r"\b(?:no|zero|without|0) (?:\w+ )?(?:errors?|warnings?|findings?|issues?|failures?|problems?|violations?|diff)\b",
)
_RUNS = re.compile(r"^(?:run|running|check with|verify with|via)?[\s:]*$", re.IGNORECASE)
_PRINTS = re.compile(r"\b(?:prints?|outputs?|shows?|reports?)\s+[`\"'](?P<text>[^`\"']+)[`\"']", re.IGNORECASE)

# strict on purpose: a criterion that only people read needs no test
_DOCUMENTS = (
    r"(?:readme|change ?log|release notes|docstrings?|adrs?|decision records?|documentation|user guide|docs"
    r"|docs/[\w./-]+)"
)
_IS_WRITTEN = r"(?:is|are|was|were|gets?|been) (?:updated|written|added)"
_HAS_ENTRY = r"(?:has|have|gets?|contains?) (?:an? )?(?:new )?(?:entry|section|note|example)"
_ORDER = r"(?:do not|don['’]t|never|must not)"
_TOOL_WORDS = (
    r"(?:lint(?:er|ing)?|type ?-?check(?:s|er|ing)?|build|formatting|static analysis|ci|mypy|ruff|eslint"
    r"|pyright|tsc|flake8"
    r"|pylint|black|prettier)"
)
_HOUSE_STYLE = (
    r"(?:style ?guide|pep ?8|contributing|(?:code|coding|naming|project|existing|repository|codebase|team|our)"
    r"(?:['’]s)? (?:\w+ )?(?:style|conventions?|patterns?|standards?|guidelines))"
)
_REVIEW = _any(
    rf"\b(?:{_DOCUMENTS}|docs)(?:\.\w+)?\b[^.]{{0,60}}\b(?:{_IS_WRITTEN}|{_HAS_ENTRY}|mentions?|describes?|explains?|documents?|covers?"
    r"|names?|lists?|reflects?)\b",
    rf"\b(?:updated?|written|add(?:ed)?|write|document(?:ed|s)?|entry|note)\b[^.]{{0,40}}\b{_DOCUMENTS}(?:\.\w+)?\b",
    r"\b(?:is|are) documented\b|\bchange ?log entry\b|\b(?:has|have|with) (?:an? )?(?:\w+ )?docstrings?\b",
    r"\b(?:re-?)?exported (?:from|in|by)\b[^.]{0,40}(?:__init__|index\.[jt]sx?|mod\.rs|lib\.rs|package root)",
    r"\bno (?:new|additional|extra|third[- ]party|external) (?:\w+ )?(?:dependenc(?:y|ies)|packages?|libraries)\b",
    r"\bwithout (?:adding )?(?:new|additional|any) (?:\w+ )?dependenc(?:y|ies)\b",
    rf"\b(?:follows?|consistent with|conforms? to|adheres? to)\b[^.]{{0,30}}\b{_HOUSE_STYLE}\b",
    r"\b(?:has|have|with|carr(?:y|ies)|full|complete)\b[^.]{0,30}\btype (?:hints?|annotations?)\b|\bfully typed\b",
    rf"^(?:the )?{_TOOL_WORDS}\b[^.`]{{0,20}}\b(?:{_PASSES}|clean|quiet)\b|^no (?:lint(?:er|ing)?|type"
    rf"|format(?:ting)?) errors\b",
    r"\bverif(?:y|ied) in (?:the )?browser\b",
    r"^(?:documentation|docs|readme|change ?log|api reference)\b[^.]{0,20}\b(?:updated|written|added|complete)\b",
    r"^(?:unit |integration |e2e |end-to-end )?tests? (?:are |were )?(?:added|written)\b|\bcoverage\b[^.]{0,30}\d",
    r"^no (?:linter|lint|type|compiler) (?:warnings|errors)\b|^all (?:\w+ )?(?:requirements"
    r"|criteria) (?:are )?(?:met|fulfilled)\b",
    r"\b(?:no|without) (?:dead|commented[- ]out|duplicated?) code\b|\bmeaningful (?:variable )?names\b",
    rf"{_ORDER} (?:change|touch|modify|edit) (?:anything|any ?thing|files|code) outside\b",
    r"^only\b[^;]{0,60}\b(?:may|must|should|is|are)(?: to)? (?:be )?(?:changed?|touched|modified|edited)\b",
    rf"^nothing outside\b[^;]{{0,60}}\b(?:changed|touched|modified|edited)\b|{_ORDER} (?:change|touch|modify"
    rf"|edit) existing tests\b",
)
# a program that writes, reads or shows documents is behaviour
_PROGRAM = re.compile(
    r"\b(?:change ?log|docstrings?|readme|docs|documentation)\s+(?:parser|checker|generator|formatter|reader"
    r"|writer|page|linter"
    r"|renderer|tool)\b|--help\b|\bby `|^`[^`]+` (?:adds|writes|creates|appends|prints|generates|updates|shows)\b",
    re.IGNORECASE,
)
_KEEP = _any(
    r"\bkeeps? (?:on )?(?:working|passing|behaving|returning|accepting|supporting|functioning)\b",
    r"\b(?:can|may|must|should|shall|will|does|do|is|are) still\b|\bstill (?:works?|pass(?:es)?|returns?"
    r"|accepts?|appl(?:y|ies)"
    r"|holds?|behaves?|uses?|shows?|prints?|supports?|valid|available|possible|supported|raises?|reads?|writes?)\b",
    r"\b(?:as|like) (?:before|today|now|previously)(?=\s*(?:$|[.,;:!?)]|and\b))|\bas it (?:did|does) (?:before"
    r"|today|now)\b",
    r"\bcontinues? to\b|\bremains? (?!in\b|on\b|at\b|until\b)\S|\bunchanged\b(?!\s+\w+s\b)",
    r"\b(?:stays?|is|are|left) (?:unaffected|the same|intact|identical)\b",
    r"\bbackwards?[- ]compatib(?:le|ility|ly)\b|\b(?:does|do|must|should|shall) not (?:break|regress)\b",
    r"\bexisting\b[^.]{0,60}\b(?:works?|behaves?|functions?|(?:is|are) preserved|keeps?)\b",
    r"\bno (?:behaviou?ral )?regressions?\b|\bno (?:behaviou?r(?:al)?|breaking) changes?\b",
)
# what is to be repaired does not hold
_REPAIR = _any(
    r"^(?:please )?(?:fix(?:es|ed)?|restores?|repairs?|reinstates?|brings? back|re-?enables?)\b",
    r"\b(?:works?|passes|returns?|accepts?|supports?|possible|available|compatible|the same) again\b",
)
# 'If the user is still logged in, …': a condition says nothing of what must hold
_CONDITION = re.compile(r"\b(?:if|when|while|until|unless|as long as|once)\b[^,.;]*(?:,|$)", re.IGNORECASE)


_BY_PEOPLE = _any(
    r"^(?:the )?(?:code|pull request|pr|change) (?:(?:is|was|has been) )?(?:peer[- ])?(?:reviewed|approved|merged)\b",
    r"^(?:peer[- ])?reviewed by\b|\bsign(?:ed)?[- ]?off\b|^merged (?:to|into)\b|^deployed\b|^(?:accepted"
    r"|approved) by\b|^demoed\b",
)


def is_done_by_people(text: str) -> bool:
    """Whether a criterion is about what people do with finished work: merge, deploy, sign off."""
    return _BY_PEOPLE.search(text) is not None


def read_kind(wording: Wording, is_constraint: bool = False, holds: bool = False) -> HowProven:
    """The written kind, else the one that asks for most; a constraint outside of the criteria is read by people.

    `holds`: its heading says that it is true already.
    """
    forbids = forbidden_paths(wording.text)
    if is_constraint:
        return HowProven(kind=Kind.REVIEW, forbids=forbids)
    if wording.kind is None:
        found = _inferred(wording.text, forbids)
        return replace(found, kind=Kind.KEEP) if holds and found.kind is Kind.NEW else found
    if wording.kind is Kind.CHECK:
        command = wording.command or next(iter(codes(wording.text)), "")
        return _check(command, wording.text, inferred=False)
    return HowProven(kind=wording.kind, inferred=False, forbids=forbids)


def _inferred(text: str, forbids: tuple[str, ...]) -> HowProven:
    """By its clauses: one that needs a test makes the whole criterion new, whatever else it says."""
    kinds = {_kind_of(clause) for clause in clauses(text)}
    kind = next(kind for kind in _MOST_FIRST if kind in kinds)
    found = _check(_command(text), text, inferred=True) if kind is Kind.CHECK else HowProven(kind=kind)
    return replace(found, forbids=forbids)


_MOST_FIRST = (Kind.NEW, Kind.KEEP, Kind.CHECK, Kind.REVIEW)
_RULES: tuple[tuple[Kind, Callable[[str], object]], ...] = (
    (Kind.REVIEW, forbidden_paths),
    (Kind.CHECK, lambda text: _command(text) or _SUITE.search(text)),
    (Kind.REVIEW, lambda text: _REVIEW.search(CODE.sub(r"\2", text)) and not _PROGRAM.search(text)),
    (Kind.KEEP, lambda text: _KEEP.search(_CONDITION.sub("", text)) and not _REPAIR.search(text)),
)


def _kind_of(clause: str) -> Kind:
    return next((kind for kind, applies in _RULES if applies(clause)), Kind.NEW)


_SENTENCES = re.compile(r"(?<=[.;!?])\s+|\n+")
_JOINTS = re.compile(r",? (?:and|but) ")
_IMPERATIVE = re.compile(
    r"(?:please )?(?:add|remove|rename|make|refactor|implement|create|fix|change|update|support|allow|replace"
    r"|move|delete|drop"
    r"|extend|introduce|return|write|use|let|show|build|convert|split|merge|port|migrate|speed up|improve)\b",
    re.IGNORECASE,
)
_LONG = 4


def clauses(text: str) -> list[str]:
    """The clauses of a criterion that say something by themselves; the whole text if none does."""
    parts = [part for sentence in _SENTENCES.split(text) for part in _joined(sentence)]
    return [part for part in parts if _says_something(part) or len(part.split()) >= _LONG] or [text]


def _joined(sentence: str) -> list[str]:
    """A sentence split at 'and' and 'but', if each side says something by itself."""
    parts = _JOINTS.split(sentence)
    return parts if all(map(_says_something, parts)) else [sentence]


def _says_something(part: str) -> bool:
    return bool(_IMPERATIVE.match(part) or STATEMENT.search(part) or forbidden_paths(part))


def _command(text: str) -> str:
    """The command of a tool that a criterion says must succeed; empty if it says something else."""
    spans = list(CODE.finditer(text))
    if not spans or not all(COMMAND.fullmatch(found[2].strip()) for found in spans):
        return ""
    before, after = text[: spans[0].start()], text[spans[-1].end() :]
    is_alone = _RUNS.match(before) and not after.strip(" .")
    is_said = is_alone or _SUCCEEDS.search(after) or _SUCCEEDS.search(before)
    return " && ".join(found[2].strip() for found in spans) if is_said else ""


def _check(command: str, text: str, *, inferred: bool) -> HowProven:
    code = _SUCCEEDS.search(CODE.sub(" ", text))
    prints = _PRINTS.search(text.replace(f"`{command}`", "", 1))
    return HowProven(
        kind=Kind.CHECK,
        inferred=inferred,
        command=command,
        exit_code=int(code["code"]) if code and code["code"] else 0,
        prints=prints["text"] if prints else "",
    )
