"""The queue of specifications -> which job starts next, what is blocked and why, and what may still be used."""
