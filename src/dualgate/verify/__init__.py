"""Evidence for a change without an agent: base and head are run, compared, and judged."""
