"""Training of the crop classifier."""
