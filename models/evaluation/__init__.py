"""Evaluation of weights on labelled photos and rendered scenes."""
