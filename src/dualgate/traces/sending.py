"""Span -> a collector, by OTLP over HTTP. The library (the extra `otel`) is imported with the first span."""

import logging
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from dualgate import __version__
from dualgate.core.record.traces.document import SCOPE
from dualgate.core.record.traces.span import Level, Span, nanoseconds
from dualgate.errors import DualgateError, SettingError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

BATCH = 512
LIBRARY = ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter")
"""Packages of the extra; a package is looked for only if the one before it is there."""
PATH = "/v1/traces"
VARIABLES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
DEFAULT = "http://localhost:4318"
_LENGTH = 200


class NotSent(DualgateError):
    """Spans did not reach the collector."""


class Sender(Protocol):
    def send(self, spans: Sequence[Span]) -> None:
        """Send spans, at most a batch; raise NotSent if they are not accepted."""
        ...

    def stop(self) -> None:
        """Let a send that is under way in another thread end at once."""
        ...


def require_library(names: Sequence[str] = LIBRARY) -> None:
    """Raise SettingError if the extra is not installed."""
    if any(find_spec(name) is None for name in names):
        raise SettingError(
            "Sending traces needs the package opentelemetry-sdk, which is not installed.",
            "Install it beside dualgate: pip install 'dualgate[otel]'",
        )


def host_of(endpoint: str | None, environment: Mapping[str, str]) -> str:
    """The host of the collector for messages: an address can hold a secret, its host does not."""
    named = (endpoint, *map(environment.get, VARIABLES), DEFAULT)
    return urlsplit(next(filter(None, named)) or "").netloc.rpartition("@")[2]


def address_of(endpoint: str | None) -> str | None:
    """The full address of an endpoint, as the standard makes it from OTEL_EXPORTER_OTLP_ENDPOINT; None stays None."""
    if endpoint is None:
        return None
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingError(
            "The endpoint of traces is not an http or https address.",
            "Give one such as http://localhost:4318 as otel.endpoint or --endpoint.",
        )
    return endpoint if parts.path.endswith(PATH) else f"{endpoint.rstrip('/')}{PATH}"


class _LastMessage(logging.Handler):
    """Keeps the library's last message, which it would print into the output of the run."""

    text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = record.getMessage()


class Otlp:
    """Without an endpoint, the library takes it from OTEL_EXPORTER_OTLP_*, as it takes headers and certificates."""

    def __init__(self, endpoint: str | None, timeout: float | None = None) -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource

        self._said = _LastMessage()
        logger = logging.getLogger("opentelemetry")
        logger.handlers, logger.propagate = [self._said], False
        self._exporter = OTLPSpanExporter(endpoint=address_of(endpoint), timeout=timeout)
        self._resource = Resource.create({"service.name": SCOPE, "service.version": __version__})

    def send(self, spans: Sequence[Span]) -> None:
        from opentelemetry.sdk.trace.export import SpanExportResult

        self._said.text = ""
        try:
            result = self._exporter.export([self._readable(span) for span in spans])
        except (OSError, ValueError) as error:  # an address or a header that cannot be sent
            raise NotSent(f"{type(error).__name__}: the address or a header is invalid") from error
        if result is not SpanExportResult.SUCCESS:
            raise NotSent(self._said.text[:_LENGTH] or "the collector does not answer")

    def stop(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def _readable(self, span: Span) -> "ReadableSpan":
        from opentelemetry.sdk.trace import Event, ReadableSpan
        from opentelemetry.sdk.util.instrumentation import InstrumentationScope
        from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

        def context(span_id: str) -> SpanContext:
            return SpanContext(
                trace_id=int(span.trace_id, 16),
                span_id=int(span_id, 16),
                is_remote=False,
                trace_flags=TraceFlags(TraceFlags.SAMPLED),
            )

        return ReadableSpan(
            name=span.name,
            context=context(span.span_id),
            parent=context(span.parent_id) if span.parent_id else None,
            resource=self._resource,
            attributes=dict(span.attributes),
            events=[Event(each.name, dict(each.attributes), nanoseconds(each.at)) for each in span.events],
            kind=SpanKind.CLIENT if span.level is Level.CALL else SpanKind.INTERNAL,
            instrumentation_scope=InstrumentationScope(SCOPE, __version__),
            status=Status(StatusCode.ERROR, span.error) if span.error else Status(),
            start_time=nanoseconds(span.start),
            end_time=nanoseconds(span.end),
        )
