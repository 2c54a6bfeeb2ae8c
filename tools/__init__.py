"""Small programs the Makefile and the tests use; nothing of the product imports them."""
