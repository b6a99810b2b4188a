"""The events of a session as spans of a trace, by the conventions of OpenTelemetry."""
