"""Scripts of an honest run over the doubling project, phase by phase."""

RED = """
[[turn]]
phase = "RED"
[[turn.write]]
path = "tests/test_double.py"
text = '''
from doubling import double
from helper import check

def test_ac1_numbers():
    check(double(2), 4)

def test_ac2_texts():
    assert double("a") == "aa"
'''
[[turn.write]]
path = "tests/helper.py"
text = "def check(a, b): assert a == b"
[[turn.write]]
path = "doubling.py"
text = "def double(x): raise NotImplementedError"
"""
OLD_OF_UNITTEST = """
import unittest

class Old(unittest.TestCase):
    def test_old(self):
        self.assertTrue(True)
"""
RED_OF_UNITTEST = """
[[turn]]
phase = "RED"
[[turn.write]]
path = "tests/test_double.py"
text = '''
from unittest import TestCase

from doubling import double

class Doubling(TestCase):
    def test_ac1_numbers(self):
        self.assertEqual(double(2), 4)

    def test_ac2_texts(self):
        self.assertEqual(double("a"), "aa")
'''
"""
GREEN = """
[[turn]]
phase = "GREEN"
[[turn.write]]
path = "doubling.py"
text = "def double(x): return x + x"
"""
REFACTOR = """
[[turn]]
phase = "REFACTOR"
"""
DOCUMENT = """
[[turn]]
phase = "DOCUMENT"
[[turn.write]]
path = "README.md"
text = "# Doubling\\n\\nCall `double`."
[[turn.write]]
path = "docs/use.md"
text = "# Use\\n\\n`double(2)` is 4."
[[turn.write]]
path = "docs/adr/0001-plus.md"
text = '''
# Plus

## Context

Numbers and texts are doubled alike.

## Decision

Use plus.

## Consequences

Anything that can be added can be doubled.
'''
"""
PACKET = r"Phase: CODE_REVIEW\nStatus: passed\n\n"
"""A short packet of a review, in a line of a script."""
REVIEW = f'''
[[turn]]
phase = "QA"
says = "{PACKET}Verdict: APPROVE"
'''
REST = REFACTOR + DOCUMENT + REVIEW
