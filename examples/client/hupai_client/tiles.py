"""The 43 faces. Written by generate.py: do not edit."""

from __future__ import annotations

from hupai_client.core import Group, Json, quoted


class Tiles(Group):
    """The 43 faces."""

    def list_tiles(self) -> Json:
        """Names of the tiles."""
        return self._client.json("GET", "/v1/tiles")

    def tile_svg(self, code: str) -> str:
        """Drawing of a tile."""
        return self._client.text("GET", f"/v1/tiles/{quoted(code)}.svg")
