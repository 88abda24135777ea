"""What is done with the bytes of photos: they are decoded and kept."""
