"""Measures layout and reading on hands laid in other conventions."""
