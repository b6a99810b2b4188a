"""Work beside the person's checkout: worktrees, in which runs work."""
