"""What the calls used, and what they may still use."""
