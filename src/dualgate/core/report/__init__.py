"""Events and states of a session -> Report: everything that a person reads the morning after."""
