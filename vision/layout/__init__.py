"""Finds the hand among the tiles and groups it."""
