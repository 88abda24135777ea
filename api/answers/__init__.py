"""From a reading and circumstances to a score, its belief and its open questions."""
