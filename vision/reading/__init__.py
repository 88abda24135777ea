"""From laid-out tiles to the likeliest legal hands."""
