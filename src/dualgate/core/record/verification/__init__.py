"""Verification -> the documents that other programs read: JSON, an attestation, SARIF and JUnit XML."""
