"""Ratings: pools, the model, ranks, weights and the replay of rated games. Pure; docs/ratings.md states the rules."""
