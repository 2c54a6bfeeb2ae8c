"""The log of a game: its entries, the table they fold into, and the record."""
