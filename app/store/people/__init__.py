"""Players, sessions and accounts, and their blocks, reports, notices and personal data."""
