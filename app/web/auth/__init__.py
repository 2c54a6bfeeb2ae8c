"""Identity: sessions and cookies, passwords, names."""
