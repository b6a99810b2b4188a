"""The probe engine: breaks changed code in memory while its tests run, and reports which tests notice.

This part starts the suite's own command and reads the report. The part that runs in the tested project's interpreter
is `reporters/probes`. Nothing is written into the user's tree.
"""
