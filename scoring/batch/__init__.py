"""Totals and fan of many MCR hands at once, as NumPy arrays.

The one package of `scoring` that needs NumPy; nothing outside it is imported by the rule sets.
`hupai.score_many` is the way in. What a fan is stays defined in `hupai.scoring.mcr.fans`: the
tables here are filled by asking those functions once for each distinct case.
"""
