"""Programs used by the Makefile and the tests; app/ does not import them."""
