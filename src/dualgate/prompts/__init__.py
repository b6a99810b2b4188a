"""The texts sent to agents, as templates."""

from importlib import resources


def load_templates() -> dict[str, str]:
    """Every text of the package by its name, those of a folder with the folder before it."""
    root = resources.files(__name__)
    found = {item.name: item for item in root.iterdir()}
    for folder in ("skills", "packets"):
        found |= {f"{folder}/{item.name}": item for item in (root / folder).iterdir()}
    return {name: item.read_text(encoding="utf-8") for name, item in found.items() if name.endswith(".md")}
