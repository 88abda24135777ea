"""Measures layout and reading on tables."""
