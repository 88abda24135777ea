"""What corrected photos teach: simulations on rendered and on real tables."""
