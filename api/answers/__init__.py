"""From a reading and circumstances to a belief about the hand, its score and its questions."""
