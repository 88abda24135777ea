"""Training and export of the weights. Needs the `train` extra; nothing of the product imports
it.
"""
