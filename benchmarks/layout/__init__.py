"""How often layout and reading understand a table."""
