"""Tables, proposals and events of the overlay in the service's database."""
