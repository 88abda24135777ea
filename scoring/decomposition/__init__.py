"""Every way to divide tiles into sets, pairs and special shapes."""
