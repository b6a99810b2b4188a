"""The numbers of a written verification: its format, and the exit code of each standing."""

from collections.abc import Mapping

from dualgate.core.values.verification import Standing
from dualgate.errors import ExitCode

FORMAT = 1
EXIT_CODES: Mapping[Standing, ExitCode] = {
    Standing.VERIFIED: ExitCode.PROVEN,
    Standing.REFUSED: ExitCode.ERROR,
    Standing.UNUSABLE: ExitCode.HALTED,
    Standing.NOT_PROVEN: ExitCode.UNPROVEN,
}
