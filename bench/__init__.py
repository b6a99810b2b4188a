"""Benchmarks: ratios measured side by side, because seconds alone say more about the machine than about the program."""
