"""Recorded tables, and the fit of the weights by which layout chooses the hand."""
