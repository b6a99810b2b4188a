"""dualgate schema: the JSON Schemas of the documents that dualgate reads and writes."""

import json

import click

from dualgate.cli.output import say
from dualgate.cli.words import OneOf
from dualgate.core.report.schemas import SCHEMAS, schema


@click.command("schema")
@click.argument("name", required=False, type=OneOf(SCHEMAS))
def schema_command(name: str | None) -> int:
    """Print the JSON Schema of NAME; without NAME, all schemas as one object."""
    wanted = schema(name) if name else {each: schema(each) for each in SCHEMAS}
    say(json.dumps(wanted, indent=2))
    return 0
