"""Text -> criteria, goal and tasks of a specification."""
