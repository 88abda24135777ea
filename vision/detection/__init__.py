"""From pixels to tiles: detector, classifier, and the passes around them."""
