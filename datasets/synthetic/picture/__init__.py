"""From laid tiles to a picture: camera, lens, light, occlusion."""
