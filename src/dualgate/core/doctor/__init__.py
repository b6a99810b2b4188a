"""Facts about a machine -> checks that show whether a run can start."""
