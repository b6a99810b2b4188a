"""Which agent is asked next, after which wait, and in which of its own sessions."""
