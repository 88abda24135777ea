"""Exports corrected and confirmed hands as a labelled data set."""
