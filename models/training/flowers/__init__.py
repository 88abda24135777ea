"""Training of the network that tells the eight flowers and seasons apart."""
