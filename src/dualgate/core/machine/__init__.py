"""Verdict -> LoopState: how a session moves, is resumed and is replayed."""
