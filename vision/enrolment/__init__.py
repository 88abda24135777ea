"""Learning the faces of a tile set from a few photos."""
