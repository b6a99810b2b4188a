"""The live view of a run: events and activities in, lines of a terminal out. It is pure; the screen is in cli/."""
