"""Tiles without clear ink: backs, blank white dragons, and what is no tile."""
