"""Test runs and diffs -> Facts: what the loop measured itself."""
