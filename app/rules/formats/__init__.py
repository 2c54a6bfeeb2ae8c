"""How positions, actions and whole games are written and read: JSON, views, notation, drawings, records."""
