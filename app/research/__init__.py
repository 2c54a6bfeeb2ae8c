"""Doors for researchers; what they need is an optional extra: pip install "cartagena[research]"."""
