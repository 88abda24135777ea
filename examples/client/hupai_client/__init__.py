"""A client of the Hupai service; needs only httpx. Written by generate.py, all but core.py: do not edit.

    from hupai_client import Client, Problem

    with Client("http://127.0.0.1:8000", key="hupai_...") as hupai:
        answer = hupai.hands.read_and_score("hand.jpg", "mcr-1998")

Answers are JSON objects as the OpenAPI document describes them, pictures are bytes. What the service refuses is raised as
`Problem`.
"""

from __future__ import annotations

from hupai_client.cases import Cases
from hupai_client.core import File, Json, Problem, Transport
from hupai_client.hands import Hands
from hupai_client.operation import Operation
from hupai_client.photos import Photos
from hupai_client.rules import Rules
from hupai_client.tables import Tables
from hupai_client.tile_sets import TileSets
from hupai_client.tiles import Tiles

__all__ = ["Client", "File", "Json", "Problem"]


class Client(Transport):
    """The service at an address, its operations by group."""

    def __init__(
        self,
        address: str = "http://127.0.0.1:8000",
        key: str | None = None,
        retries: int = 3,
        timeout: float = 90,
    ) -> None:
        super().__init__(address, key, retries, timeout)
        self.photos = Photos(self)
        self.hands = Hands(self)
        self.rules = Rules(self)
        self.tiles = Tiles(self)
        self.tile_sets = TileSets(self)
        self.cases = Cases(self)
        self.tables = Tables(self)
        self.operation = Operation(self)
