"""The bus: how workers tell each other that something exists; it only hurries, the log decides."""
