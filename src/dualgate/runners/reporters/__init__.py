"""Code that runs in the tested project's interpreter: standard library only, Python 3.8 or newer, no dualgate import.

The folder is copied for each run under a random name, so that no module of the project can be imported in its place.
"""
