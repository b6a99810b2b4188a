"""The tools of a server that speaks the Model Context Protocol: verify, tests, check and status."""
