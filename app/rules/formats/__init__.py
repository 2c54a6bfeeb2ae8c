"""Formats of positions, actions and games: JSON, views, choices, notation, diagrams, records."""
