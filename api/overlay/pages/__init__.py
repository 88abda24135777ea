"""Files of the overlay pages: the producer's own, and the page that waits in OBS."""
