"""Routes and storage of enrolled tile sets."""
