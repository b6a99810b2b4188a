"""Runs of base and head -> findings: what is worse, what was weakened, what no test would notice."""
