"""Which tiles are the hand, and how they form sets."""
