"""From bytes to an upright RGB photo."""
