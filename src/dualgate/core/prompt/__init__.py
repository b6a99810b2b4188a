"""Specification, LoopState -> the prompt for an agent."""
