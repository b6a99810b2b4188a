import pytest

from dualgate.workspace.steering.stubs import only_stubs

WAS = "import os\n\n__all__ = ['add']\n\ndef add(a, b):\n    return a + b\n"
STUB = "\n\ndef mul(a, b):\n    raise NotImplementedError\n"
ADDED = [
    (STUB, True),
    ('\n\nasync def mul(a, b):\n    """Multiply."""\n    ...\n', True),
    ("\n\nclass Fees:\n    rate: int\n\n    @property\n    def fee(self): pass\n", True),
    ("\n\nfrom typing import Any\n", True),
    ("\n\ndef mul(a, b):\n    return a * b\n", False),
    ("\n\ndef mul(a, b):\n    return None\n", False),
    ("\n\n@register\ndef mul(a, b): pass\n", False),
    ("\n\ndef add(a, b): raise NotImplementedError\n", False),
    ("\n\nfrom other import plus as add\n", False),
    ("\n\nmul = 3\n", False),
    ("\n\nprint(1)\n", False),
    ("\n\ndef broken(:\n", False),
]


@pytest.mark.parametrize(("added", "is_stub"), ADDED)
def test_only_definitions_without_behaviour_are_stubs(added: str, is_stub: bool) -> None:
    assert only_stubs(WAS.encode(), (WAS + added).encode()) is is_stub


def test_a_new_file_may_hold_stubs_and_the_list_of_names_may_grow() -> None:
    assert only_stubs(None, STUB.encode())
    assert only_stubs(None, b"")
    assert only_stubs(WAS.encode(), WAS.replace("['add']", "['add', 'mul']").encode())
    assert not only_stubs(WAS.encode(), None)
    assert not only_stubs(WAS.encode(), b"import os\n")
