"""Corrections as labels: consent, export, what to look at next, drift."""
