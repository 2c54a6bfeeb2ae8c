"""The JSON API: a module for each group of routes, and the models they share."""
