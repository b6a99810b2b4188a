"""The bell of the terminal."""

from dataclasses import dataclass

from dualgate.notify.message import Message, NotDelivered

NAME = "bell"
SOUND = b"\a"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bell:
    device: str = "/dev/tty"
    name: str = NAME

    def send(self, message: Message) -> None:
        del message
        try:
            with open(self.device, "wb", buffering=0) as terminal:  # noqa: PTH123
                terminal.write(SOUND)
        except OSError as error:
            raise NotDelivered("this process has no terminal") from error
