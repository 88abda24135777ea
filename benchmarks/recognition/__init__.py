"""How well photos are read, by table, by tile set, by size, by rotation, and how fast."""
