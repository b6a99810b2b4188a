import dataclasses
from dataclasses import dataclass

import pytest

from dualgate.core.machine.history import begin
from dualgate.core.values.replacing import replace
from dualgate.testing import a_start


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    only: tuple[int, ...] = ()


def test_it_makes_what_the_standard_library_makes() -> None:
    state = begin(a_start())

    made = replace(state, iteration=3, reviewer="ada")

    assert made == dataclasses.replace(state, iteration=3, reviewer="ada")
    assert state.iteration == 0


def test_a_value_of_one_field_is_made_too_and_stays_frozen() -> None:
    made = replace(Single(only=(1,)), only=(2, 3))

    assert made == Single(only=(2, 3))
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.only = ()  # type: ignore[misc]


def test_a_field_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AttributeError, match="other"):
        replace(Single(), other=1)  # type: ignore[call-arg]
