"""The table of the endpoints: address, parameters, answer and the function that gives it. OpenAPI shows this table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dualgate.core.values.events import KINDS
from dualgate.core.values.shapes import integer, words
from dualgate.core.values.vocabulary import Phase
from dualgate.web.overview import NO_ZONE, ZONES, health, overview, totals
from dualgate.web.parameters import Parameter, text_of
from dualgate.web.pieces import FIRST_PIECE, LARGEST_PIECE, PARTS, call_text, event, iteration
from dualgate.web.sessions import events, iterations, session

if TYPE_CHECKING:
    from dualgate.web.board import Board

Given = Mapping[str, Any]
MOST_ITERATIONS = 1_000
MOST_EVENTS = 1_000
_LARGEST = 1 << 36
SESSION = Parameter(
    name="id",
    schema=text_of("[A-Za-z0-9._-]{1,100}", 100),
    about="The id of a session, as its row in the overview has it.",
    in_path=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One address that answers a GET with JSON. The function runs in a thread."""

    path: str
    about: str
    answer: "Callable[[Board, Given], Any]"
    schema: str
    """The name of the schema of the answer."""
    parameters: tuple[Parameter, ...] = ()


def _number(name: str, about: str, least: int = 0, most: int = 10**9, default: int | None = None) -> Parameter:
    return Parameter(name=name, schema=integer(least, most), about=about, default=default)


def _in_path(name: str, about: str) -> Parameter:
    return Parameter(name=name, schema=integer(1, 10**9), about=about, in_path=True)


ENDPOINTS = (
    Endpoint(path="/api/overview", about="Every session, and the totals.", answer=overview, schema="Overview"),
    Endpoint(
        path="/api/totals",
        about="Sessions by day: started, proven, halted and why, and their cost.",
        answer=totals,
        schema="Days",
        parameters=(
            Parameter(
                name="zone",
                schema=words(ZONES),
                about="A time zone, such as Europe/Berlin.",
                default=NO_ZONE,
            ),
            _number("days", "A number of days, from 1 to 366.", 1, 366, 30),
        ),
    ),
    Endpoint(
        path="/api/sessions/{id}",
        about="One session: status, report, the history of its breaker, its specification, and possible actions.",
        answer=session,
        schema="Session",
        parameters=(SESSION,),
    ),
    Endpoint(
        path="/api/sessions/{id}/iterations",
        about="The iterations of a session, a row each.",
        answer=iterations,
        schema="Iterations",
        parameters=(
            SESSION,
            _number("after", "The number of an iteration; those after it are shown.", default=0),
            _number("limit", f"A number of rows, at most {MOST_ITERATIONS}.", 1, MOST_ITERATIONS, MOST_ITERATIONS),
        ),
    ),
    Endpoint(
        path="/api/sessions/{id}/iterations/{n}",
        about="One iteration: claims beside evidence, gates, decision, and the beginnings of its texts.",
        answer=iteration,
        schema="Iteration",
        parameters=(SESSION, _in_path("n", "A number that counts over the whole session, from 1.")),
    ),
    Endpoint(
        path="/api/sessions/{id}/calls/{number}/{part}",
        about="A piece of a text of a call.",
        answer=call_text,
        schema="Piece",
        parameters=(
            SESSION,
            _in_path("number", "The number of a call."),
            Parameter(name="part", schema=words(PARTS), about=f"One of {', '.join(PARTS)}.", in_path=True),
            _number("offset", "A number of bytes before the piece.", 0, _LARGEST, 0),
            _number("limit", f"A number of bytes, from 16 to {LARGEST_PIECE}.", 16, LARGEST_PIECE, FIRST_PIECE),
        ),
    ),
    Endpoint(
        path="/api/sessions/{id}/events",
        about="Events of a session, as 'dualgate log' shows them; without a number, the last ones.",
        answer=events,
        schema="Events",
        parameters=(
            SESSION,
            _number("after", "The number of an event; those after it are shown, the oldest first."),
            _number("before", "The number of an event; the last ones before it are shown."),
            _number("limit", f"A number of events, at most {MOST_EVENTS}.", 1, MOST_EVENTS, 200),
            Parameter(name="kind", schema=words(KINDS), about="A kind of events, as 'dualgate log' names them."),
            Parameter(name="phase", schema=words(Phase), about=f"One of {', '.join(Phase)}."),
        ),
    ),
    Endpoint(
        path="/api/sessions/{id}/events/{seq}",
        about="One event as it is in the journal; of a large one, its beginning.",
        answer=event,
        schema="Event",
        parameters=(SESSION, _in_path("seq", "The number of an event.")),
    ),
    Endpoint(path="/api/health", about="Whether the server answers.", answer=health, schema="Health"),
)
