"""Tile sets that the service was taught. Written by generate.py: do not edit."""

from __future__ import annotations

from hupai_client.core import File, Group, Json, quoted


class TileSets(Group):
    """Tile sets that the service was taught."""

    def list_sets(self) -> Json:
        """List the tile sets."""
        return self._client.json("GET", "/v1/tile-sets")

    def teach(
        self,
        name: str,
        photo: list[File],
        *,
        faces: str | None = None,
        order: str | None = None,
        answers: str | None = None,
        replace: bool | None = None,
    ) -> Json:
        """Teach a tile set."""
        return self._client.json(
            "POST",
            "/v1/tile-sets",
            form={
                "name": name,
                "faces": faces,
                "order": order,
                "answers": answers,
                "replace": replace,
            },
            files={"photo": photo},
        )

    def one_set(self, name: str) -> Json:
        """A tile set."""
        return self._client.json("GET", f"/v1/tile-sets/{quoted(name)}")

    def forget(self, name: str) -> None:
        """Forget a tile set."""
        self._client.none("DELETE", f"/v1/tile-sets/{quoted(name)}")

    def face(self, name: str, code: str) -> bytes:
        """A face of a tile set."""
        return self._client.bytes("GET", f"/v1/tile-sets/{quoted(name)}/faces/{quoted(code)}")
