"""The patterns of the KC rules."""
