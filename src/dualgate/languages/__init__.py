"""One file per language: how its tests are found and run, which files steer them, what a report looks like."""
