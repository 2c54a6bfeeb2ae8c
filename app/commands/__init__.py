"""The commands on rules and records, one a file: add_arguments(parser) and run(asked)."""
