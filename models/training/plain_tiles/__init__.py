"""Training of the network that tells backs, blank white dragons and what is no tile apart."""
