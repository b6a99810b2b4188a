"""dualgate: a coding agent in a loop, until the work is proven done."""

__version__ = "0.1.0.dev0"
