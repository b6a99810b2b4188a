"""Many requests to the dashboard, made by Schemathesis from its OpenAPI document. `make test` makes a few of them."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from tests.web.serving import serving
from tests.web.test_openapi import a_home, about_session, asked


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(a_home(tmp_path_factory.mktemp("home"))) as served:
        yield str(served.client.base_url)


@asked.parametrize()
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_every_answer_is_as_the_document_says(case: schemathesis.Case[Any], address: str) -> None:
    about_session(case)
    case.call_and_validate(base_url=address)
