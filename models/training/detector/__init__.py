"""Training of the tile detector."""
