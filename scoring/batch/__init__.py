"""Totals and fan of many MCR hands at once, as NumPy arrays.

The one package of `scoring` that needs NumPy; nothing outside it is imported by the rule sets.
`hupai.score_many` is the entry point. Fan are defined only in `hupai.scoring.mcr.fans`: the tables
here are filled by calling those functions once for each distinct case.
"""
