"""Span -> a line of an OTLP JSON file, which the OpenTelemetry Collector and other programs read."""

from typing import Any

from dualgate.core.record.traces.span import Attribute, Attributes, Level, Span, nanoseconds

SCOPE = "dualgate"
INTERNAL, CLIENT, ERROR = 1, 3, 2


def span_line(span: Span, version: str) -> dict[str, Any]:
    """The object of one line: a span with the resource and the scope that it belongs to."""
    resource = {"service.name": SCOPE, "service.version": version}
    scoped = {"scope": {"name": SCOPE, "version": version}, "spans": [_document(span)]}
    return {"resourceSpans": [{"resource": {"attributes": _pairs(resource)}, "scopeSpans": [scoped]}]}


def _document(span: Span) -> dict[str, Any]:
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        **({"parentSpanId": span.parent_id} if span.parent_id else {}),
        "name": span.name,
        "kind": CLIENT if span.level is Level.CALL else INTERNAL,
        "startTimeUnixNano": str(nanoseconds(span.start)),
        "endTimeUnixNano": str(nanoseconds(span.end)),
        "attributes": _pairs(span.attributes),
        "events": [
            {"timeUnixNano": str(nanoseconds(each.at)), "name": each.name, "attributes": _pairs(each.attributes)}
            for each in span.events
        ],
        "status": {"code": ERROR, "message": span.error} if span.error else {},
    }


def _pairs(attributes: Attributes) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in attributes.items()]


def _value(value: Attribute) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case tuple():
            return {"arrayValue": {"values": [_value(each) for each in value]}}
