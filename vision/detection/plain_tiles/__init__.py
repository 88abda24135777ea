"""Places without clear ink: backs, blank white dragons and non-tiles."""
