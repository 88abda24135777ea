"""Measures how well photos are read: by table, tile set, size and rotation."""
