"""Research tools: a PettingZoo environment and training. They need optional extras of the package."""
