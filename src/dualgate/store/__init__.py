"""Session storage: the journal, and the files made from it."""
