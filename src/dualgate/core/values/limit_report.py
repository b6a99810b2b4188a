"""The used shares of an agent's usage limits, as a call reported them. Data only."""

from dataclasses import dataclass
from datetime import datetime

from dualgate.core.values.answer import LimitUse


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReport:
    at: datetime
    use: tuple[LimitUse, ...]
