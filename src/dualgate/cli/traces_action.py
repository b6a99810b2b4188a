"""The action of traces: the spans of a session, into a file or to a collector."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from dualgate import __version__
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, our_redactor, say, say_json
from dualgate.core.record.traces.document import span_line
from dualgate.core.record.traces.span import Span
from dualgate.core.values.notation import counted
from dualgate.errors import ExitCode, SettingError
from dualgate.store.archive import session_named
from dualgate.store.owners import is_owned
from dualgate.store.sessions import session_folder
from dualgate.traces.reading import spans_of
from dualgate.traces.sending import BATCH, NotSent, Otlp, host_of, require_library

STANDARD_OUTPUT = "-"


def export_session(name: str | None, file: str | None, endpoint: str | None, as_json: bool) -> int:
    spans = (our_redactor().value(span) for span in _spans(name))
    if file == STANDARD_OUTPUT:
        for span in spans:
            say_json(span_line(span, __version__))
        return ExitCode.PROVEN
    if file is not None:
        path = Path(file).resolve()
        return _report(_written(spans, path), "written to", str(path), as_json)
    require_library()
    otel = settings_from({}).settings.otel
    endpoint = endpoint or otel.endpoint
    sender, host = Otlp(endpoint, otel.timeout), host_of(endpoint, os.environ)
    try:
        sent = _in_batches(spans, sender.send)
    except NotSent as error:
        raise NotSent(
            f"The spans were not sent to {host}: {our_redactor().text(error.message)}.",
            "Check the address and the variables OTEL_EXPORTER_OTLP_*, or write a file with --file FILE.",
        ) from error
    return _report(sent, "sent to", host, as_json)


def _spans(name: str | None) -> Iterator[Span]:
    project, folder, archived = here(), session_folder(here(), os.environ), False
    if name is not None:
        found = session_named(folder, name, os.environ)
        folder, archived, project = found.folder, found.archived, Path(found.project or project)
    return spans_of(folder, alive=not archived and project.is_dir() and is_owned(project))


def _written(spans: Iterable[Span], path: Path) -> int:
    count = 0
    try:
        with path.open("w", encoding="utf-8") as out:
            for span in spans:
                out.write(f"{json.dumps(span_line(span, __version__))}\n")
                count += 1
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror}.", "Name another file with --file.") from error
    return count


def _in_batches(spans: Iterator[Span], send: Callable[[Sequence[Span]], None]) -> int:
    count = 0
    while batch := tuple(islice(spans, BATCH)):
        send(batch)
        count += len(batch)
    return count


def _report(count: int, done: str, where: str, as_json: bool) -> int:
    if as_json:
        say_json({"format": 1, "spans": count, "to": where})
    else:
        say(f"{counted(count, 'span', 'spans')} {done} {where}")
    return ExitCode.PROVEN
