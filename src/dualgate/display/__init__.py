"""States and events as text for people."""
