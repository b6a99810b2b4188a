"""Endings of files with code, in any language: the one list of them."""

_LANGUAGES = (
    "bash bat bats c cc cjs clj cpp cs cts cxx dart erl ex exs go gradle groovy h hh hpp hs java jl js jsx kt kts lua",
    "mjs ml mts php pl pm ps1 py pyi pyx rb rs scala sh svelte swift t ts tsx vue zig zsh",
)
CODE = frozenset(f".{ending}" for line in _LANGUAGES for ending in line.split())
