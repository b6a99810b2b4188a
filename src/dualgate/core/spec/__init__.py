"""Text -> what is to be proven: criteria, goal and tasks."""
