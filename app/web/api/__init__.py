"""The JSON API: one module per group of routes, and the models they share."""
