"""The actions of approve, reject and answer, by which a person decides what waits for them."""

from dualgate.cli.host import our_host
from dualgate.cli.intervene_action import our_requester, tell, tell_how_to_go_on
from dualgate.cli.landing import land
from dualgate.cli.output import say, say_json, show
from dualgate.cli.outside import require_person
from dualgate.cli.run_display import Style
from dualgate.core.machine.approving import Decidable, decidable
from dualgate.core.machine.committing import not_made
from dualgate.core.machine.requests import RequestKind
from dualgate.core.values.vocabulary import Status
from dualgate.display.deciding import decidable_lines, decidable_record
from dualgate.display.live import lines
from dualgate.display.records import exit_code, result_record
from dualgate.errors import ControlRefused, ExitCode
from dualgate.session.intervene import Recorded, Requester, steer
from dualgate.session.resume import Choices, read_session
from dualgate.store.making_room import load_state


def list_waiting(as_json: bool) -> int:
    """Show what waits for a person."""
    found = decidable(load_state(our_host().folder()))
    if as_json:
        say_json({"waiting": [decidable_record(each) for each in found]})
    else:
        show(decidable_lines(found))
    return ExitCode.PROVEN


def approve_waiting(which: str | None, as_json: bool) -> int:
    require_person(f"approve {which or ''}".rstrip())
    return _decide(RequestKind.APPROVE, "", which, as_json)


def reject_waiting(reason: str, which: str | None, as_json: bool) -> int:
    require_person(f"reject {reason}")
    return _decide(RequestKind.REJECT, reason, which, as_json)


def answer_agent(text: str, as_json: bool) -> int:
    require_person(f"answer {text}")
    state = tell(steer(our_requester(), RequestKind.ANSWER, text), as_json)
    return tell_how_to_go_on(state, as_json)


def _decide(kind: RequestKind, text: str, which: str | None, as_json: bool) -> int:
    requester = our_requester()
    before = load_state(requester.folder)
    found = decidable(before)
    if kind is RequestKind.APPROVE and not found and which is None and before.approved_by and not_made(before):
        return _land(requester, as_json)  # killed or refused after the approval
    done = steer(requester, kind, text, _chosen(found, which).target)
    if isinstance(done, Recorded) and not_made(done.state):
        if not as_json:
            show(lines(done.event, done.state))
        return _land(requester, as_json)
    state = tell(done, as_json)
    if state is not None and state.status is Status.COMPLETED:
        return exit_code(state)
    return tell_how_to_go_on(state, as_json)


def _land(requester: Requester, as_json: bool) -> int:
    """Make the commit and the pull request of approved work."""
    host, folder = requester.host, requester.folder
    state = land(host, folder, read_session(folder), Choices(flags={}), Style.JSON if as_json else Style.PLAIN)
    if as_json:
        say_json(result_record(state, str(folder)))
    elif missing := not_made(state):
        say(f"The work is approved and proven. No {missing.what} was made. Try again with: {missing.command}")
    return exit_code(state)


def _chosen(found: tuple[Decidable, ...], which: str | None) -> Decidable:
    """The thing with this id or number, or the only one."""
    named = [each for each in found if which in (None, each.id, each.target)]
    if len(named) == 1:
        return named[0]
    if not found:
        raise ControlRefused("Nothing waits for you.", "See where the session stands with: dualgate status")
    told = "; ".join(f"{each.id}: {each.title}" for each in found)
    if which is None:
        raise ControlRefused(f"{len(found)} things wait for you. {told}.", "Give the id of one of them.")
    raise ControlRefused(
        f"Nothing with the id {which} waits for you. {told}.", "See them with: dualgate approve --list"
    )
