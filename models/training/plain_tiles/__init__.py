"""Training of the network that distinguishes backs, blank white dragons and non-tiles."""
