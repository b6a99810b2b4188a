"""The names of the files with a project's settings."""

PROJECT_FILE = "dualgate.toml"
SHARED_FILE = "pyproject.toml"
