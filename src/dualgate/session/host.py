"""What a session is given by whoever runs it. Nothing in this room looks for any of it by itself."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from dualgate.core.secrets.redaction import Redactor
from dualgate.processes.supervisor import Supervisor
from dualgate.store.lease import owned
from dualgate.store.sessions import session_folder


class Lease(Protocol):
    """The right to run a session in a work tree, until it is given back or lost."""

    @property
    def epoch(self) -> int:
        """Grows with every owner, so that a stale one is known."""
        ...

    def renew(self) -> None:
        """Hold it for longer; asked before every event that is recorded."""
        ...

    def lost(self) -> bool:
        """Whether somebody else has taken over."""
        ...


TakeLease = Callable[[Path, Path, Mapping[str, str], datetime], AbstractContextManager[Lease]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    project: Path
    supervisor: Supervisor
    """It has the environment, too."""
    redactor: Redactor
    now: Callable[[], datetime]
    tell: Callable[[str], None]
    """Shows a person what is no event of the session: a specification that was edited, a torn journal."""
    take: TakeLease = owned
    """Takes the lease of a project and a session folder until a block ends."""

    @property
    def environment(self) -> Mapping[str, str]:
        return self.supervisor.environment

    def folder(self) -> Path:
        """Where the session of the project lies."""
        return session_folder(self.project, self.environment)
