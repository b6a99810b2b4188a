"""Allowed additions to a frozen file of tests that is not Python, read with tree-sitter."""
