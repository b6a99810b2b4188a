"""What was seen of a machine -> what keeps a run from starting."""
