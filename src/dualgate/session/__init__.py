"""A session's life without a terminal: open, resume, own, furnish, record, amend, and the loop."""
