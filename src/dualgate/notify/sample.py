"""A message about a run or a queue that does not exist, to try the channels with."""

from dualgate.core.machine.history import begin
from dualgate.core.queue.document import queue_document
from dualgate.core.queue.notices import queue_notice_document
from dualgate.core.record.notices import Notice
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.queue import Queue
from dualgate.core.values.vocabulary import QUEUE_MOMENTS, Moment, Workflow
from dualgate.notify.message import Message
from dualgate.notify.queue import queue_message
from dualgate.notify.watcher import message_of
from dualgate.session.host import Host


def sample_message(moment: Moment, host: Host) -> Message:
    text = f"test notification for the moment {moment}"
    if moment in QUEUE_MOMENTS:
        empty = queue_document(Queue(), (), None, None)
        return queue_message(queue_notice_document(moment, (text,), host.now(), str(host.project), empty), host)
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
    return message_of(Notice(moment=moment, at=started.at, phase=state.phase, text=text), state, host)
