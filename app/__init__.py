"""Cartagena online: the rules, the bots, the rooms, the stores and the web, in that order of layers."""

__version__ = "0.1.0"
