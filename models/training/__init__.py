"""Training and export of the weights.

It needs the extra ``train``; nothing of the product imports it.
"""
