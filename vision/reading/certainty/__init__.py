"""How sure a reading is, and whether it is certain."""
