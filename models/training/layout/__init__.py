"""Recorded tables, and the fit of the layout weights that select the hand."""
