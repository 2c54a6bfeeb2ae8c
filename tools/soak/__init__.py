"""Faults on purpose: servers killed, databases and networks taken away, and a ledger that checks what survives."""
