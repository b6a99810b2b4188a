"""The table of the endpoints -> the OpenAPI document."""

from functools import cache
from typing import Any

from dualgate import __version__
from dualgate.web.endpoints import ENDPOINTS, SESSION, Endpoint
from dualgate.web.parameters import Parameter, text_of
from dualgate.web.schemas import components, named

Document = dict[str, Any]
CURSOR = Parameter(
    name="after",
    schema=text_of("[0-9a-f-]*", 64),
    about="A cursor of the overview or of an event; the header Last-Event-ID has the same meaning.",
)
_BEARER = [{"token": list[str]()}]


@cache
def openapi_document() -> Document:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "dualgate dashboard",
            "version": __version__,
            "summary": "Every session of a machine.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": {each.path: {"get": _get(each)} for each in ENDPOINTS} | _others(),
        "components": {
            "schemas": components(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _get(endpoint: Endpoint) -> Document:
    return {
        "operationId": endpoint.answer.__name__,
        "summary": endpoint.about,
        "parameters": [_parameter(each) for each in endpoint.parameters],
        "responses": _answers(_json(named(endpoint.schema))),
    }


def _parameter(parameter: Parameter) -> Document:
    default = {} if parameter.default is None else {"default": parameter.default}
    return {
        "name": parameter.name,
        "in": "path" if parameter.in_path else "query",
        "required": parameter.in_path,
        "description": parameter.about,
        "schema": parameter.schema | default,
    }


def _answers(content: Document) -> Document:
    return {
        "200": {"description": "The answer.", "content": content},
        "default": {"description": "An error, with the next step.", "content": _json(named("Error"))},
    }


def _json(schema: Document) -> Document:
    return {"application/json": {"schema": schema}}


def _others() -> Document:
    """The addresses whose answers are no JSON, or that change something."""
    text: Document = {"schema": {"type": "string"}}
    stream = "Changes as server-sent events: row, gone and reset."
    wish = {"required": True, "content": _json(named("Wish"))}
    return {
        "/api/stream": {
            "get": {
                "operationId": "stream",
                "summary": stream,
                "parameters": [_parameter(CURSOR)],
                "responses": _answers({"text/event-stream": text}),
            }
        },
        "/api/openapi.json": {
            "get": {
                "operationId": "openapi",
                "summary": "This document.",
                "responses": _answers(_json({"type": "object"})),
            }
        },
        "/metrics": {
            "get": {
                "operationId": "metrics",
                "summary": "Metrics for Prometheus.",
                "responses": _answers({"text/plain": text}),
            }
        },
        "/api/login": {
            "post": {
                "operationId": "login",
                "summary": "Let this browser read, with a cookie.",
                "security": _BEARER,
                "responses": _answers(_json(named("LoggedIn"))),
            }
        },
        "/api/sessions/{id}/control": {
            "post": {
                "operationId": "control",
                "summary": "Carry out an action on a session. It needs --allow-control.",
                "security": _BEARER,
                "parameters": [_parameter(SESSION)],
                "requestBody": wish,
                "responses": _answers(_json(named("Done"))),
            }
        },
    }
