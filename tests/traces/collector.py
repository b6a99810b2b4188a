"""A collector on loopback that reads spans as a real one does, and the sessions that are sent to it."""

import gzip
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector:
    def __init__(self) -> None:
        self.spans: list[dict[str, Any]] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.answers: list[int] = []
        """Status codes of the next answers; 200 afterwards."""
        self.address = ""

    def take(self, path: str, headers: dict[str, str], body: bytes) -> int:
        code = self.answers.pop(0) if self.answers else 200
        self.requests.append((path, headers))
        if code == 200:
            plain = gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body
            self.spans += _read(plain)
        return code

    @property
    def ids(self) -> list[str]:
        return [span["id"] for span in self.spans]

    def named(self, name: str) -> list[dict[str, Any]]:
        return [span for span in self.spans if span["name"] == name]


def _read(body: bytes) -> Iterator[dict[str, Any]]:
    request = ExportTraceServiceRequest.FromString(body)
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield {
                    "trace": span.trace_id.hex(),
                    "id": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(),
                    "name": span.name,
                    "kind": span.kind,
                    "start": span.start_time_unix_nano,
                    "end": span.end_time_unix_nano,
                    "error": span.status.message,
                    "events": [event.name for event in span.events],
                    "resource": _plain(resource.resource.attributes),
                    **_plain(span.attributes),
                }


def _plain(attributes: Any) -> dict[str, Any]:
    found = {}
    for pair in attributes:
        kind = pair.value.WhichOneof("value")
        value = getattr(pair.value, kind)
        found[pair.key] = [each.string_value for each in value.values] if kind == "array_value" else value
    return found


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(collector.take(self.path, dict(self.headers), body))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        collector.address = f"http://127.0.0.1:{server.server_port}"
        yield collector
        server.shutdown()
