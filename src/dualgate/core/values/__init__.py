"""Data only: facts, claims, decisions and events. It imports nothing from other packages but errors."""
