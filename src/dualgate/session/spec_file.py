"""Compare the specification of a session with its file: later edits are reported, and not adopted."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.core.machine.resuming import CutOff
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.events import Event, ProvenAgain, SessionResumed, SessionStarted, TurnEnded
from dualgate.core.values.state import LoopState

if TYPE_CHECKING:
    from dualgate.session.host import Host
    from dualgate.session.record import Watcher


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecFile:
    redactor: Redactor
    path: Path
    name: str
    text: str

    @property
    def was_changed(self) -> bool:
        """Whether the file differs; False if it is missing or cannot be read."""
        now = read_spec_file(self.path)
        return now is not None and not is_same_spec(now, self.text, self.redactor)

    @property
    def note(self) -> str:
        if not self.was_changed:
            return ""
        return f"{self.name} was changed; the session goes on without that ('dualgate resume --respec' adopts it)"


def spec_of(found: CutOff, redactor: Redactor) -> SpecFile:
    return _spec_file(found.started, found.spec, redactor)


def is_same_spec(now: str, before: str, redactor: Redactor) -> bool:
    """Compare with secrets redacted, since the journal does not hold them."""
    return redactor.text(now) == redactor.text(before)


def read_spec_file(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


class SpecWatch:
    """Watches the events of a run, and reports once that the specification file changed."""

    def __init__(self, watch: "Watcher", host: "Host", found: CutOff | None = None) -> None:
        self._host = host
        self._watch = watch
        self._started = found.started if found else None
        self._text = found.spec if found else ""
        self._is_said = found is not None  # a resume reports it before the first turn

    def __call__(self, event: Event, state: LoopState) -> None:
        match event:
            case SessionStarted():
                self._started, self._text = event, event.prp_text
            case SessionResumed():
                self._text = event.prp_text or self._text
            case TurnEnded() | ProvenAgain() if not self._is_said and self.note:
                self._is_said = True
                self._host.tell(self.note)
        self._watch(event, state)

    @property
    def note(self) -> str:
        return _spec_file(self._started, self._text, self._host.redactor).note if self._started else ""


def _spec_file(started: SessionStarted, text: str, redactor: Redactor) -> SpecFile:
    path = Path(started.project) / started.prp_file
    return SpecFile(redactor=redactor, path=path, name=started.prp_file, text=text)
