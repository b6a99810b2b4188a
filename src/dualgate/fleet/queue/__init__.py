"""The queue of a repository: several specifications, each in a worktree and a process of its own."""
