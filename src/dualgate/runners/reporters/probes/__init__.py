"""Probes: break code in memory while its tests run, in the tested project's interpreter.

Like its parent, standard library only and Python 3.8 or newer. It is copied beside the reporters for runs with probes.
"""
