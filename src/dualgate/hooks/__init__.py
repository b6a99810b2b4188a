"""Hooks of coding agents: before an agent stops its work is verified, and an edit of frozen tests is refused."""
