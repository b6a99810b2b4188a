"""Texts -> the same texts without secrets."""
