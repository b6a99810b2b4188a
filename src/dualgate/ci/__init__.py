"""Verify in the builds and git hooks of others: the GitHub Action and pre-commit call this."""
