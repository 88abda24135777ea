"""Training of the flower network."""
