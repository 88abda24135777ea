"""The cases of a tournament together: which wait, by session and table, and what the head referee
wants to know of them.
"""
