"""The agents that can be asked, one file each."""
