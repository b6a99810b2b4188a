"""The text of a specification -> whether its work may be in another language than Python, so that no tool is assumed.

A word that means something else by chance costs nothing: the tests that the agent writes are found all the same.
"""

import re

_OTHERS = re.compile(
    r"\b(?:javascript|typescript|node\.?js|node --test|npm|npx|pnpm|deno|bun|vitest|jest|mocha|package\.json|tsconfig"
    r"|golang|go test|go\.mod|cargo|rustc?|crates?|kotlin|java|maven|gradle|junit|php\w*|composer\.json|laravel|symfony"
    r"|ruby|rspec|gemfile|dotnet|elixir|swift|c\+\+|c#)(?!\w)|(?<=\w)\.(?:tsx?|jsx?|mjs|go|rs|java|kt|php|rb)\b",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"\bin Go\b|\b(?:Go|Node) (?:module|package|program|library|service|server|app|tool|CLI|\d)")
"""Names that are ordinary words in small letters."""


def names_other_language(text: str) -> bool:
    return bool(_OTHERS.search(text) or _CAPITAL.search(text))
