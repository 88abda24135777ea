"""A rendered clip that shows the overlay without a camera."""
