"""Criterion -> Forbidden: the paths that a specification forbids to change, and the rule that such a change breaks."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dualgate.core.values.specification import Criterion

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

RULE_LENGTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """Paths as in an ignore file, or written out; a name without a folder counts in every folder."""

    paths: tuple[str, ...]
    rule: str
    patterns: "GitIgnoreSpec | None" = None

    def holds(self, path: str) -> bool:
        is_named = any(path == name or path.startswith(f"{name}/") or path.endswith(f"/{name}") for name in self.paths)
        return is_named or (self.patterns is not None and self.patterns.match_file(path))


def forbidden_by(criterion: Criterion) -> Forbidden:
    from pathspec import GitIgnoreSpec

    paths = tuple(path.removeprefix("./").strip("/") for path in criterion.forbids)
    text = " ".join(criterion.text.split())
    cut = f"{text[:RULE_LENGTH]}…" if len(text) > RULE_LENGTH else text
    try:
        patterns = GitIgnoreSpec.from_lines(_as_pattern(path) for path in criterion.forbids)
    except ValueError:
        patterns = None  # no pattern at all: only the written path counts
    return Forbidden(paths=paths, rule=f"the specification forbids it ({criterion.id}: {cut})", patterns=patterns)


def _as_pattern(path: str) -> str:
    """A pattern that keeps its meaning in an ignore file, where `!` and `#` have one of their own."""
    plain = path.removeprefix("./")
    return f"\\{plain}" if plain[:1] in ("!", "#") else plain
