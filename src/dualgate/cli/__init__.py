"""The commands, one file each: parse, call, exit code."""
