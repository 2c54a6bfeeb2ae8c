"""Client messages, and the decision that each command makes on the present table."""
