"""Keeping in step with the other workers: their news, and reading anew what was lost."""
