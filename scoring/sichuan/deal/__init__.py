"""Settlement of a Sichuan deal from its log."""
