"""Fault injection: kill servers, take databases and networks away, and check with a ledger what survives."""
