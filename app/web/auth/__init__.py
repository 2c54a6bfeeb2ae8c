"""Who somebody is: sessions and cookies, passwords, names."""
