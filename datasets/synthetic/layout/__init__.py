"""Where the tiles of a scene lie."""
