"""Decompositions of an MCR hand, their parts, and the search for them."""
