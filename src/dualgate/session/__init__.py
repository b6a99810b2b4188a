"""Run a session without a terminal: start, resume and lock it, journal its steps, amend tests, and loop over turns."""
