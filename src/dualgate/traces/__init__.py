"""Traces of sessions for OpenTelemetry: sent during a run, or afterwards to a collector or a file."""
