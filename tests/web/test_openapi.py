"""The OpenAPI document is true: Schemathesis asks a real server by it."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from jsonschema import Draft202012Validator

from dualgate.core.report.schemas import DIALECT
from dualgate.web.openapi import openapi_document
from tests.web.conftest import RECORDED
from tests.web.serving import serving
from tests.web.test_sessions import name_of

SESSION = name_of(RECORDED / "rejected")


# an address may also be too long, with valid values in it or with invalid ones
TOO_LONG = "414"
REFUSED = ["400", "401", "403", "404", "405", "406", "409", TOO_LONG, "415", "422", "428", "429", "5xx"]
ACCEPTED = ["2xx", "3xx", "401", "403", "404", "409", TOO_LONG, "429", "5xx"]
CHECKS = {
    "negative_data_rejection": {"expected-statuses": REFUSED},
    "positive_data_acceptance": {"expected-statuses": ACCEPTED},
}
config = schemathesis.Config.from_dict({"checks": CHECKS})
asked = schemathesis.openapi.from_dict(openapi_document(), config=config).exclude(path="/api/stream")
"""The stream never ends, so it has tests of its own."""


def a_home(place: Path) -> Path:
    """A home with one recorded session."""
    shutil.copytree(RECORDED / "rejected", place / ".bp-sessions" / "rejected")
    return place


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(a_home(tmp_path_factory.mktemp("home"))) as served:
        yield str(served.client.base_url)


def about_session(case: schemathesis.Case[Any]) -> None:
    """Make half of the valid requests about the session that is there."""
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    if is_valid and "id" in case.path_parameters and len(str(case.query)) % 2:
        case.path_parameters["id"] = SESSION


@asked.parametrize()
@settings(max_examples=3, suppress_health_check=list(HealthCheck))
def test_every_answer_is_as_the_document_says(case: schemathesis.Case[Any], address: str) -> None:
    about_session(case)
    case.call_and_validate(base_url=address)


def test_the_schemas_of_the_document_are_valid() -> None:
    document = openapi_document()

    assert document["openapi"].startswith("3.1")
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema({"$schema": DIALECT, **schema})
