"""The journal and the snapshots of a session -> its Report, and the files of it beside the journal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dualgate.core.machine.history import apply, first_of
from dualgate.core.report.bounding import cut_text
from dualgate.core.report.gathering import Gathered, begin_gathering, gathered_after
from dualgate.core.report.making import ReportInput, make_report
from dualgate.core.report.values import PhaseDiff, PhaseStay, Report
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.changes import FileDiff
from dualgate.core.values.replacing import replace
from dualgate.core.values.vocabulary import Phase, ReportFormat, ReportUse
from dualgate.display.report.formats import FORMATS
from dualgate.errors import DualgateError, StoreFailed
from dualgate.session.host import Host
from dualgate.settings import Settings
from dualgate.store.account import Account, account_after, begun
from dualgate.store.atomic import write_whole
from dualgate.store.reading import read_journal
from dualgate.store.reports import report_file
from dualgate.store.sessions import snapshot_store
from dualgate.workspace.run_diff import diffs_between
from dualgate.workspace.saved import SavedSnapshots

LARGEST_FILE = 32 << 10
LARGEST_DIFFS = 384 << 10
"""Characters of all differences together: they are most of a report, and colours make them ten times as long."""
MOST_FILES = 300
_WRITTEN = {
    ReportUse.OFF: (),
    ReportUse.HTML: (ReportFormat.HTML,),
    ReportUse.MD: (ReportFormat.MD,),
    ReportUse.ALL: tuple(ReportFormat),
}
PRUNED = "The snapshots of this session are gone (pruned or deleted), so no differences can be shown."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSource:
    """The session that a report is about, and where its snapshots are found."""

    folder: Path
    project: Path
    environment: Mapping[str, str]
    redactor: Redactor
    archived: bool = False


def read_report(source: ReportSource, now: datetime, *, with_diffs: bool = True) -> Report:
    """The report of a session that runs, waits or has ended. Raises JournalDamaged or SessionMissing."""
    gathered, account = _gathered(source.folder)
    diffs, note = _diffs(source, gathered, account) if with_diffs else ((), "")
    return report_of(source, gathered, account, now, diffs, note)


def report_of(
    source: ReportSource,
    gathered: Gathered,
    account: Account,
    now: datetime,
    diffs: tuple[PhaseDiff, ...] = (),
    note: str = "",
) -> Report:
    """The report of a session that was read already."""
    around = ReportInput(
        made_at=now,
        seq=account.seq,
        specification=account.cut_off.spec,
        archived=source.archived,
        session_dir=source.environment.get("PRP_SESSION_DIR", ""),
        diffs=diffs,
        diff_note=note,
    )
    return make_report(gathered, account.state, account.metrics, around, source.redactor)


def write_report(report: Report, folder: Path, kind: ReportFormat) -> Path:
    """Write one file of a report beside the journal, for the owner alone. Raises StoreFailed."""
    path = report_file(folder, kind)
    write_whole(path, FORMATS[kind](report).encode("utf-8", "backslashreplace"))
    return path


def report_at_end(host: Host, folder: Path, settings: Settings) -> Path | None:
    """Write the reports of a run that has ended; None if that failed, which is reported in one line.

    The run is over and its result is recorded: whatever goes wrong here must not change its exit code.
    """
    source = ReportSource(folder=folder, project=host.project, environment=host.environment, redactor=host.redactor)
    kinds = _WRITTEN[settings.report]
    try:
        report = read_report(source, host.now()) if kinds else None
        written = [write_report(report, folder, kind) for kind in kinds] if report else []
    except DualgateError as error:
        host.tell(f"The report is not written: {error.message}")
        return None
    except Exception as error:  # a bug here must not cost the result of a night
        host.tell(f"The report is not written: {type(error).__name__}: {error}. Try: dualgate report")
        return None
    return written[0] if written else None


def _gathered(folder: Path) -> tuple[Gathered, Account]:
    records = read_journal(folder)
    record = next(records, None)
    started = first_of(record.event if record else None)
    account = begun(started)
    gathered = begin_gathering(started, account.state)
    for record in records:
        before, after = account.state, apply(account.state, record.event)
        gathered = gathered_after(gathered, record.event, before, after)
        account = account_after(account, record.event, after, record.seq)
    return gathered, account


def _diffs(source: ReportSource, gathered: Gathered, account: Account) -> tuple[tuple[PhaseDiff, ...], str]:
    """The differences of each stay in a phase, as far as the snapshots hold both trees."""
    changed = [(number, stay) for number, stay in _numbered(gathered.stays) if stay.before != stay.after]
    store = snapshot_store(source.project, source.environment)
    if not changed:
        return (), ""
    if not store.exists():
        return (), PRUNED
    try:
        with SavedSnapshots(source.project, store, source.folder) as saved:
            found = list(_kept_diffs(saved, changed, account, source.redactor))
    except StoreFailed as error:
        return (), f"The differences cannot be shown: {error.message}"
    note = PRUNED if len(found) < len(changed) else ""
    return tuple(found), note


def _numbered(stays: Sequence[PhaseStay]) -> Iterator[tuple[int, PhaseStay]]:
    counts: dict[Phase, int] = {}
    for stay in stays:
        counts[stay.phase] = counts.get(stay.phase, 0) + 1
        yield counts[stay.phase], stay


def _kept_diffs(
    saved: SavedSnapshots, changed: Sequence[tuple[int, PhaseStay]], account: Account, redactor: Redactor
) -> Iterator[PhaseDiff]:
    first = saved.catalog.first_of(account.state.session_id)
    room = LARGEST_DIFFS
    for number, stay in changed:
        if first is None or not all(map(saved.objects.has, (stay.before, stay.after))):
            continue
        snapshots, outputs = saved.seen_as(first), account.state.proof.outputs
        every = list(diffs_between(snapshots, stay.before, stay.after, outputs))
        files, left_out, room = fitted_diffs([redactor.value(each) for each in every[:MOST_FILES]], room)
        ids = [saved.catalog.holding(tree) for tree in (stay.before, stay.after)]
        yield PhaseDiff(
            phase=stay.phase,
            number=number,
            files=files,
            left_out=len(every) - len(files) + left_out,
            command=f"dualgate snapshot diff {ids[0]} {ids[1]} --patch" if all(ids) else "",
        )


def fitted_diffs(files: Sequence[FileDiff], room: int) -> tuple[tuple[FileDiff, ...], int, int]:
    """The files with as many lines as fit, how many have none for lack of room, and the room that is left."""
    fitted, left_out = [], 0
    for each in files:
        text = cut_text(each.diff, LARGEST_FILE) if room > 0 else ""
        left_out += bool(each.diff) and not text
        room -= len(text)
        fitted.append(replace(each, diff=text))
    return tuple(fitted), left_out, room
