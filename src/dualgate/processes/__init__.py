"""Start, watch and end everything that a session runs; its sandbox and its scratch folders."""
