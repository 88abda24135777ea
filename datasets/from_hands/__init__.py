"""Hands that people corrected or confirmed, written as a labelled set of photos."""
