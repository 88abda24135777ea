"""What went on air, for replays and archives."""
