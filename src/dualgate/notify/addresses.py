"""Channels behind an address: a webhook of one's own, and the services that Apprise knows.

An address often holds a secret, so messages of errors never show it: they name the host of a webhook at most.
"""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from urllib.parse import urlsplit

from dualgate.notify.message import URGENT, Message, NotDelivered

INSTALL = "pip install 'dualgate[notify]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    address: str
    environment: Mapping[str, str]
    timeout: float
    name: str = "webhook"

    def send(self, message: Message) -> None:
        address = expanded(self.address, self.environment, "notify.webhook")
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise NotDelivered("notify.webhook is not an http or https address")
        body = json.dumps(message.document).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "dualgate"}
        try:
            with urllib.request.urlopen(
                urllib.request.Request(address, data=body, headers=headers, method="POST"), timeout=self.timeout
            ):
                return
        except urllib.error.HTTPError as error:
            error.close()
            raise NotDelivered(f"{parts.hostname} answers {error.code}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise NotDelivered(f"{parts.hostname} cannot be reached: {reason}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Apprise:
    """Chats, mail and push services, by the library Apprise (the extra `notify`)."""

    addresses: tuple[str, ...]
    environment: Mapping[str, str]
    name: str = "urls"

    def send(self, message: Message) -> None:
        try:
            import apprise
        except ImportError as error:
            raise NotDelivered(f"notify.urls needs an extra; install it with: {INSTALL}") from error
        sender = apprise.Apprise()
        for number, address in enumerate(self.addresses, start=1):
            if not sender.add(expanded(address, self.environment, "notify.urls")):
                raise NotDelivered(f"address {number} of notify.urls is invalid for Apprise")
        kind = apprise.NotifyType.WARNING if message.moment in URGENT else apprise.NotifyType.INFO
        if not sender.notify(
            body=message.text, title=message.title, notify_type=kind, body_format=apprise.NotifyFormat.TEXT
        ):
            raise NotDelivered("a service of notify.urls did not accept it")


def expanded(address: str, environment: Mapping[str, str], key: str) -> str:
    """The address with its variables replaced; raise NotDelivered if one is not set."""
    try:
        return Template(address).substitute(environment)
    except KeyError as error:
        raise NotDelivered(f"{key} names the variable {error.args[0]}, which is not set") from None
    except ValueError:
        return address  # a dollar sign that names no variable
