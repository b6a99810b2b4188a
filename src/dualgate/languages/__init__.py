"""One file per language: how to find and run its tests, which files steer them, and the form of its reports."""
