"""How well a set of weights reads labelled photos and rendered scenes."""
