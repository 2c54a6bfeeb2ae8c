"""Players, sessions, accounts, and what they own: blocks, reports, notices, their data."""
