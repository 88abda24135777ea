"""The service on Ray Serve: the same app in front, readers of photos on any number of machines."""
