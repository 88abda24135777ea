"""What is on a photo. Written by generate.py: do not edit."""

from __future__ import annotations

from typing import Any

from hupai_client.core import File, Group


class Photos(Group):
    """What is on a photo."""

    def recognise(
        self,
        photo: list[File],
        *,
        side: int | None = None,
        rules: str | None = None,
        tile_set: str | None = None,
        accept: str = "application/json",
    ) -> Any:
        """Read a photo."""
        return self._client.any(
            "POST",
            "/v1/recognitions",
            query={"side": side},
            header={"Accept": accept},
            form={"rules": rules, "tile_set": tile_set},
            files={"photo": photo},
        )

    def upright(self, photo: File, *, side: int | None = None, accept: str = "image/jpeg") -> bytes:
        """Turn a photo upright."""
        return self._client.bytes(
            "POST",
            "/v1/pictures",
            query={"side": side},
            header={"Accept": accept},
            files={"photo": photo},
        )
