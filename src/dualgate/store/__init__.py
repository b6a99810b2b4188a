"""What is kept: the journal, and what is made from it."""
