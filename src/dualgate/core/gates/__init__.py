"""Facts -> Verdict: whether a phase may end, what follows a failed call, and when the breaker opens."""
