"""The decisions: values in, values out. Nothing here reads a file, a clock or the environment."""
