"""Camera, table plane, and tiles on it."""
