"""Scoring cases in a fixed form, and the program that runs them."""
