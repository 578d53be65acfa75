"""What ships with the package to be looked at: twenty windows, and how fast they are here."""
