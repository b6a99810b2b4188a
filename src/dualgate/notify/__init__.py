"""Notifies people of the moments of a run, and runs their commands at them. A run never fails for it."""
