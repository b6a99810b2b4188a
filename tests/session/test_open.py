import pytest

from dualgate.core.values.limits import Price
from dualgate.errors import SettingError
from dualgate.session.open import limits_of
from dualgate.settings import Settings


def test_half_a_price_is_refused_since_nothing_can_be_computed_with_it() -> None:
    with pytest.raises(SettingError, match=r"The price of m has no output\.") as refused:
        limits_of(Settings(prices={"m": Price(input=1.0)}))

    assert refused.value.next_step == 'Write both under [prices."m"], in dollars for a million tokens.'
