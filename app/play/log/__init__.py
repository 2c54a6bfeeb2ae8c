"""What is stored of a game and how it is read: entries, the table they fold into, the record."""
