"""The table of the endpoints: address, parameters, answer and the function that gives it. OpenAPI shows this table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dualgate.core.values.shapes import integer
from dualgate.web.board import Board
from dualgate.web.overview import health, overview, totals
from dualgate.web.parameters import Parameter, text_of

Given = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One address that answers a GET with JSON. The function runs in a thread."""

    path: str
    name: str
    about: str
    answer: Callable[[Board, Given], Any]
    parameters: tuple[Parameter, ...] = ()


ENDPOINTS = (
    Endpoint(path="/api/overview", name="overview", about="Every session, and the totals.", answer=overview),
    Endpoint(
        path="/api/totals",
        name="totals",
        about="Sessions by day: started, proven, halted and why, and their cost.",
        answer=totals,
        parameters=(
            Parameter(
                name="zone",
                schema=text_of("[A-Za-z0-9_+/-]{1,64}", 64),
                about="A time zone, such as Europe/Berlin.",
                default="UTC",
            ),
            Parameter(name="days", schema=integer(1, 366), about="A number of days, from 1 to 366.", default=30),
        ),
    ),
    Endpoint(path="/api/health", name="health", about="Whether the server answers.", answer=health),
)
