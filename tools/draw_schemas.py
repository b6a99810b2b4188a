"""The JSON Schemas -> docs/schemas.md: each document with its fields, their types and their legal values."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dualgate.core.report.schemas import SCHEMAS, schema
from tools.markdown import table

PAGE = Path(__file__).parent.parent / "docs" / "schemas.md"
# where each document is found
PLACES = {
    "ralph-status": "The status block at the end of an agent's answer. `dualgate parse FILE` reads it.",
    "phase-status": "One block of `phase-status.log` ([files of a session](records.md)).",
    "phase-packet": "The report of a phase in an agent's answer. A packet has one of these forms.",
    "fix-request": "One finding of a [review](review.md).",
    "loop-state": "`loop-state.json` of a session. `dualgate status --json` adds keys to it.",
    "estimate": "The field `estimate` of [`check --json`](json.md#specification) and `run --dry-run --json`.",
    "notice": "What a [notification or a lifecycle hook](notifications.md) gets on standard input or by POST.",
    "verification": "The result of `dualgate verify --json` ([verify a change](verify.md)).",
}
INTRODUCTION = """# JSON documents

`dualgate schema NAME` prints the JSON Schema of each document.
Commands without a schema are described under [JSON output](json.md).

`make reference` makes this page from the schemas. A test compares the page with the code.

A dot in a name is an object inside an object, `[]` an item of a list. A star marks a required field.
"""


def page() -> str:
    return "\n".join([INTRODUCTION, *(section(name) for name in SCHEMAS)])


def section(name: str) -> str:
    document = schema(name)
    forms = document.get("oneOf", [document])
    tables = [fields_table(form) for form in forms]
    titles = [f"### {form_name(form)}\n\n" if len(forms) > 1 else "" for form in forms]
    place = PLACES.get(name, "")
    return f"## {name}\n\n{place}\n\n" + "\n".join(a + b for a, b in zip(titles, tables, strict=True))


def form_name(form: dict[str, Any]) -> str:
    return f"Packet of {form['properties']['Phase']['const']}"


def fields_table(form: dict[str, Any]) -> str:
    return table(("field", "type"), list(fields(form, "")))


def fields(form: dict[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    """Each field below an object or a list, with its path."""
    for name, field in form.get("properties", {}).items():
        star = " *" if name in form.get("required", ()) else ""
        yield f"`{prefix}{name}`{star}", type_name(field)
        for inner, path in inner_objects(field, f"{prefix}{name}"):
            yield from fields(inner, path)


def inner_objects(field: dict[str, Any], path: str) -> Iterator[tuple[dict[str, Any], str]]:
    if "properties" in field:
        yield field, f"{path}."
    if isinstance(field.get("items"), dict):
        yield from inner_objects(field["items"], f"{path}[]")
    for each in field.get("anyOf", ()):
        yield from inner_objects(each, path)


def type_name(field: dict[str, Any]) -> str:
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if "anyOf" in field:
        return " or ".join(type_name(each) for each in field["anyOf"])
    kind = field.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {type_name(field['items'])}" if isinstance(field.get("items"), dict) else "list"
    bounds = [f"{word} {field[key]}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in field]
    return " ".join([str(field.get("format", kind)), *bounds])
