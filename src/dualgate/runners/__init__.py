"""The test runners that can be believed, one file each."""
