"""Verification -> texts for people: lines for a terminal, Markdown for a pull request, and why a test is judged so."""
