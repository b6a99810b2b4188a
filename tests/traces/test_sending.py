"""What is sent, to whom, and what agents see of it."""

import pytest

from dualgate.agents.client import Errand
from dualgate.agents.environment import client_environment
from dualgate.agents.registry import CLIENTS
from dualgate.errors import SettingError
from dualgate.traces.sending import address_of, host_of, require_library


@pytest.mark.parametrize(
    ("endpoint", "address"),
    [
        ("http://localhost:4318", "http://localhost:4318/v1/traces"),
        ("https://host/otlp/", "https://host/otlp/v1/traces"),
        ("https://host/v1/traces", "https://host/v1/traces"),
        (None, None),
    ],
)
def test_an_endpoint_is_completed_as_the_standard_does(endpoint: str | None, address: str | None) -> None:
    assert address_of(endpoint) == address


@pytest.mark.parametrize("endpoint", ["localhost:4318", "file:///etc/passwd", "", "https://"])
def test_other_addresses_are_refused(endpoint: str) -> None:
    with pytest.raises(SettingError):
        address_of(endpoint)


def test_messages_name_the_host_alone() -> None:
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://user:pass@host:1/secret"}

    assert host_of(None, variables) == "host:1"
    assert host_of("http://other/x", variables) == "other"
    assert host_of(None, {}) == "localhost:4318"


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_no_agent_sees_the_headers_of_the_person(name: str) -> None:
    secret = {"OTEL_EXPORTER_OTLP_HEADERS": "key=s3cret", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "key=s3cret"}

    seen = client_environment(CLIENTS[name], Errand(may_edit=True), {"PATH": "/bin", **secret})

    assert secret.keys().isdisjoint(seen)


def test_without_the_extra_one_sentence_names_the_command_that_installs_it() -> None:
    require_library()

    with pytest.raises(SettingError) as caught:
        require_library(("no_such_package",))

    assert caught.value.next_step == "Install it beside dualgate: pip install 'dualgate[otel]'"
