"""Syntax trees of Python sources -> what tests assert, and what sources look at. Nothing is run."""
