"""Test runners whose reports can be trusted, one file each."""
