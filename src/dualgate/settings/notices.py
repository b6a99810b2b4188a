"""The settings of notifications, of commands at moments of a run, and of traces. They are part of the declaration."""

from dualgate.core.values.vocabulary import Moment
from dualgate.settings.declaring import Group, key
from dualgate.settings.kinds import FLAG, TEXT, TEXTS, choices, duration


class Notifications(Group):
    """How a person is notified. An address may name a variable that holds a secret, as in `$CHAT_WEBHOOK`."""

    on: tuple[Moment, ...] = key(
        (
            Moment.COMPLETED,
            Moment.HALTED,
            Moment.BLOCKED,
            Moment.APPROVAL,
            Moment.LIMIT_REACHED,
            Moment.LIMIT_LIFTED,
            Moment.QUEUE_ENDED,
            Moment.QUEUE_PAUSED,
            Moment.QUEUE_WAITING,
        ),
        choices(Moment),
        "Moments of a run or a queue that you are notified of.",
    )
    bell: bool = key(False, FLAG, "Whether the terminal rings.")
    desktop: bool = key(False, FLAG, "Whether a desktop notification is shown.")
    webhook: str | None = key(None, TEXT, "Address that receives each notification as JSON, by POST.")
    urls: tuple[str, ...] = key((), TEXTS, "Addresses of chats, mail and push services, as Apprise writes them.")
    command: str | None = key(None, TEXT, "Command that receives each notification as JSON on standard input.")
    timeout: float = key(10.0, duration(1), "Time that one notification may take.")


class LifecycleHooks(Group):
    """Commands that are run at moments of a run, with JSON on standard input. The run waits for them."""

    phase_started: str | None = key(None, TEXT, "Command that is run when a phase starts.")
    phase_ended: str | None = key(None, TEXT, "Command that is run when a phase ends.")
    halted: str | None = key(None, TEXT, "Command that is run when the run halts.")
    done: str | None = key(None, TEXT, "Command that is run when the run completes.")
    timeout: float = key(60.0, duration(1), "Time that one of these commands may take.")


class Telemetry(Group):
    """Traces for OpenTelemetry. Headers, certificates and compression come from the variables OTEL_EXPORTER_OTLP_*."""

    enabled: bool = key(False, FLAG, "Whether a run sends its traces to an OpenTelemetry collector.", flag="--traces")
    endpoint: str | None = key(
        None,
        TEXT,
        "Address of the collector; it turns traces on. Default: OTEL_EXPORTER_OTLP_ENDPOINT, else localhost.",
    )
    timeout: float = key(5.0, duration(1), "Time that one transmission may take, and the last one at the end of a run.")
