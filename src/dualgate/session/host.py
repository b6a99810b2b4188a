"""Everything that a session gets from its caller. Nothing in this package looks any of it up by itself."""

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
    """The right to run a session in a work tree, until it is released or lost."""

    @property
    def epoch(self) -> int:
        """Grows with every owner, so that a stale owner can be recognised."""
        ...

    def renew(self) -> None:
        """Extend the lease; called before every event is recorded."""
        ...

    def lost(self) -> bool:
        """Whether another process has taken the lease."""
        ...


TakeLease = Callable[[Path, Path, Mapping[str, str], datetime], AbstractContextManager[Lease]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    project: Path
    supervisor: Supervisor
    """Also holds the environment."""
    redactor: Redactor
    now: Callable[[], datetime]
    tell: Callable[[str], None]
    """Shows the user a message that is not an event: an edited specification, a torn journal."""
    take: TakeLease = owned
    """Takes the lease of a project and a session folder until a block ends."""

    @property
    def environment(self) -> Mapping[str, str]:
        return self.supervisor.environment

    def folder(self) -> Path:
        """The folder of the project's session."""
        return session_folder(self.project, self.environment)
