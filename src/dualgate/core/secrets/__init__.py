"""Texts without the secrets of the environment."""
