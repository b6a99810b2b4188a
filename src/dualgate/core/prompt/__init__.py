"""Specification, LoopState -> the text that an agent is asked with."""
