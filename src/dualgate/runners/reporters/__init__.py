"""What runs inside the tested project's interpreter: standard library only, Python 3.8 or newer, no import of dualgate.

The folder is copied for each run under a name that nobody can know, so that no module of the project stands in for it.
"""
