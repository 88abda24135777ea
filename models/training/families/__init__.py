"""Training of the networks of families of faces."""
