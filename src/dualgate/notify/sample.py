"""A message about a run that does not exist, to try the channels with."""

from dualgate.core.machine.history import begin
from dualgate.core.record.notices import Notice
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.vocabulary import Moment, Workflow
from dualgate.notify.message import Message
from dualgate.notify.watcher import message_of
from dualgate.session.host import Host


def sample_message(moment: Moment, host: Host) -> Message:
    started = SessionStarted(
        at=host.now(),
        session_id="test",
        project=str(host.project),
        prp_file="SPEC.md",
        prp_text="",
        agent="",
        test_command=(),
        workflow=Workflow.TDD,
    )
    state = begin(started)
    text = f"test notification for the moment {moment}"
    return message_of(Notice(moment=moment, at=started.at, phase=state.phase, text=text), state, host)
