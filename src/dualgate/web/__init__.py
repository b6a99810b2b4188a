"""The dashboard: every session of this machine in a browser. It reads journals and writes into no session."""
