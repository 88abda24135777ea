"""Sessions of several deals: running sums, fines, ranking, and what the rule texts leave open."""
