"""Telling people who are away that it is their turn: e-mail and webhooks, opt-in, one digest at a time."""
