"""How fast photos are read by one process and by many, and how many of everything a load needs."""
