"""Cartagena online. Layers from the bottom up: rules, bots, play, stores, notices, web."""

__version__ = "0.1.0"
