"""Labelled photos: sources, conversion, labels, corrections."""
