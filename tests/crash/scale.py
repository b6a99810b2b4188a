"""How much is done to runs: little in `make test-corpus`, and much in `make test-crash`. Neither leaves out a test."""

import os

IS_LONG = "CRASH_KILLS" in os.environ
KILLS = int(os.environ.get("CRASH_KILLS", "20"))
RACES = 200 if IS_LONG else 5
CYCLES = 1000 if IS_LONG else 5
CLOCK_STEPS = (90, 190, 290) if IS_LONG else (190,)
PARTS = 40 if IS_LONG else 4
"""How many tests share what is done at each step, so that two cores do."""
