"""Tile faces: the drawn ones, and faces cut from other sources."""
