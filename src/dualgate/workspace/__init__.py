"""The work tree: what changed, and what may not."""
