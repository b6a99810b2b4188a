"""Text of a criterion -> its kind: how it can be proven. Unsure means `new`."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from dualgate.core.spec.constraints import forbidden_paths
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
    rf"\b{_PASSES}\b",
    r"\btest suite\b[^.]{0,20}\b(?:pass(?:es)?|(?:is|stays) green)\b",
    r"^(?:there (?:are|is) )?no (?:test )?regressions?\b",
    r"^tests? (?:still )?pass(?:es)?[.!]?$",
)
# tools that look at a project; a program that the project itself provides is behaviour, and needs a test
_TOOLS = (
    r"make|just|task|npm|npx|pnpm|yarn|tsc|eslint|prettier|vitest|jest|playwright|ruff|mypy|pyright|pytest|tox|nox|black"
    r"|isort|flake8|pylint|bandit|pre-commit|uv run|uvx|poetry run|pdm run|hatch run|pip-audit|cargo|go|golangci-lint"
    r"|gofmt|mvn|gradle|\./gradlew|\./mvnw|dotnet|bundle exec|rake|rspec|rubocop|composer|phpunit|phpstan|mix|swift"
    r"|terraform|shellcheck|hadolint|actionlint|cmake|ctest|mkdocs|sphinx-build|lint-imports|typos|codespell"
    r"|markdownlint|yamllint|python3? -m (?:pytest|mypy|ruff|unittest|build|compileall|black|flake8|pylint|tox|nox)"
)
_COMMAND = re.compile(rf"(?:[A-Z_]+=\S+\s+)*(?:(?:{_TOOLS})(?:\s.*)?|\./[\w./-]+(?:\s.*)?)", re.DOTALL)
_SUCCEEDS = _any(
    rf"\b(?:{_PASSES}|successful(?:ly)?|clean|is happy)\b",
    r"\bexits? (?:with )?(?:code |status )?(?P<code>\d{1,3})\b",
    r"\b(?:no|zero|without|0) (?:\w+ )?(?:errors?|warnings?|findings?|issues?|failures?|problems?|violations?|diff)\b",
)
_RUNS = re.compile(r"^(?:run|running|check with|verify with|via)?[\s:]*$", re.IGNORECASE)
_PRINTS = re.compile(r"\b(?:prints?|outputs?|shows?|reports?)\s+[`\"'](?P<text>[^`\"']+)[`\"']", re.IGNORECASE)

# strict on purpose: a criterion that only people read needs no test
_DOCUMENTS = (
    r"(?:readme|change ?log|release notes|docstrings?|adrs?|decision records?|documentation|user guide|docs/[\w./-]+)"
)
_IS_WRITTEN = r"(?:is|are|was|were|gets?|been) (?:updated|written|added)"
_HAS_ENTRY = r"(?:has|have|gets?|contains?) (?:an? )?(?:new )?(?:entry|section|note|example)"
_HOUSE_STYLE = (
    r"(?:style ?guide|pep ?8|contributing|(?:code|coding|naming|project|existing|repository|codebase|team|our)"
    r"(?:['’]s)? (?:\w+ )?(?:style|conventions?|patterns?|standards?|guidelines))"
)
_REVIEW = _any(
    rf"\b{_DOCUMENTS}(?:\.\w+)?\b[^.]{{0,60}}\b(?:{_IS_WRITTEN}|{_HAS_ENTRY}|mentions?|describes?|explains?|documents?|covers?|names?"
    r"|reflects?)\b",
    rf"\b(?:updated?|written|add(?:ed)?|write|document(?:ed|s)?|entry|note)\b[^.]{{0,40}}\b{_DOCUMENTS}(?:\.\w+)?\b",
    r"\b(?:is|are) documented\b|\bchange ?log entry\b|\b(?:has|have|with) (?:an? )?(?:\w+ )?docstrings?\b",
    r"\b(?:re-?)?exported (?:from|in|by)\b[^.]{0,40}(?:__init__|index\.[jt]sx?|mod\.rs|lib\.rs|package root)",
    r"\bno (?:new|additional|extra|third[- ]party|external) (?:\w+ )?(?:dependenc(?:y|ies)|packages?|libraries)\b",
    r"\bwithout (?:adding )?(?:new|additional|any) (?:\w+ )?dependenc(?:y|ies)\b",
    rf"\b(?:follows?|consistent with|conforms? to|adheres? to)\b[^.]{{0,30}}\b{_HOUSE_STYLE}\b",
    r"\b(?:has|have|with|carr(?:y|ies)|full|complete)\b[^.]{0,30}\btype (?:hints?|annotations?)\b|\bfully typed\b",
    r"^(?:the )?(?:lint(?:er|ing)?|type ?-?check(?:s|er|ing)?|build|formatting|static analysis|ci)\b[^.`]{0,20}"
    rf"\b(?:{_PASSES}|clean)\b",
    r"\b(?:code|pull request|pr|change) (?:is|was|has been) (?:peer[- ])?reviewed\b",
    r"\bverif(?:y|ied) in (?:the )?browser\b",
    r"\b(?:no|without) (?:dead|commented[- ]out|duplicated?) code\b|\bmeaningful (?:variable )?names\b",
)
_KEEP = _any(
    r"\bkeeps? (?:on )?(?:working|passing|behaving|returning|accepting|supporting|functioning)\b|\bstill\b",
    r"\b(?:as|like) (?:before|today|now|previously|it (?:did|does) (?:before|today|now))\b|\bcontinues? to\b",
    r"\bremains?\b|\b(?:is|are|stays?) (?:unaffected|the same|intact|identical)\b|\bunchanged\b|\bunaffected\b",
    r"\bbackwards?[- ]compatib(?:le|ility|ly)\b|\b(?:does|do|must|should|shall) not (?:break|regress)\b",
    r"\bexisting\b[^.]{0,60}\b(?:works?|behaves?|functions?|(?:is|are) preserved|keeps?)\b",
    r"\bno (?:behaviou?ral )?regressions?\b",
)


def read_kind(wording: Wording) -> HowProven:
    """The written kind, else the first rule that fits."""
    forbids = forbidden_paths(wording.text)
    if wording.kind is None:
        return _inferred(wording.text, forbids)
    if wording.kind is Kind.CHECK:
        command = wording.command or next(iter(codes(wording.text)), "")
        return _check(command, wording.text, inferred=False)
    is_review = wording.kind is Kind.REVIEW
    return HowProven(kind=wording.kind, inferred=False, forbids=forbids if is_review else ())


def _inferred(text: str, forbids: tuple[str, ...]) -> HowProven:
    if forbids:
        return HowProven(kind=Kind.REVIEW, forbids=forbids)
    if command := _command(text):
        return _check(command, text, inferred=True)
    return HowProven(kind=next((kind for kind, applies in _RULES if applies(text)), Kind.NEW))


_RULES: tuple[tuple[Kind, Callable[[str], object]], ...] = (
    (Kind.CHECK, _SUITE.search),
    (Kind.REVIEW, lambda text: _REVIEW.search(CODE.sub(r"\2", text))),
    (Kind.KEEP, _KEEP.search),
)


def _command(text: str) -> str:
    """The command of a tool that a criterion says must succeed; empty if it says something else."""
    spans = [found for found in CODE.finditer(text) if _COMMAND.fullmatch(found[2].strip())]
    if len(spans) != 1:
        return ""
    before, after = text[: spans[0].start()], text[spans[0].end() :]
    is_alone = _RUNS.match(before) and not after.strip(" .")
    return spans[0][2].strip() if is_alone or _SUCCEEDS.search(after) or _SUCCEEDS.search(before) else ""


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
