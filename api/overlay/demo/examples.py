"""Examples for the OpenAPI document, made with the program's own types, so that they fit."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hupai.api.contract.hand import CircumstancesModel
from hupai.api.overlay.schemas import (
    Proposal,
    SeatOut,
    SeatState,
    Snapshot,
    TableOut,
    TablesOut,
    TableState,
)
from hupai.api.overlay.viewer_json import hand_card
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand

_REGION = [[0.0, 0.5], [1.0, 0.5], [1.0, 1.0], [0.0, 1.0]]
_CARD = hand_card(
    "east",
    "Li Wei",
    parse_hand("23m55p[567m,1][EEE,2](9999s)+1m"),
    rule_sets.get("mcr-1998"),
    Circumstances(),
)
_TABLE = TableOut(
    id="final",
    name="Final",
    rules="mcr-1998",
    source="rtsp://…@camera.example/1",
    auto="off",
    delay_seconds=10.0,
    theme="jade",
    language="both",
    seats=[
        SeatOut(seat="east", player="Li Wei", region=_REGION, circumstances=CircumstancesModel())
    ],
)
_PROPOSAL = Proposal(
    number=8, empty=False, notation="23m55p[567m,1][EEE,2](9999s)+1m", certain=True, card=_CARD,
    at=datetime(2026, 11, 21, 14, 30, tzinfo=UTC), seen_ms=420,
)  # fmt: skip

TABLE: dict[str, Any] = _TABLE.model_dump(mode="json")
TABLES: dict[str, Any] = TablesOut(tables=[_TABLE]).model_dump(mode="json")
SNAPSHOT: dict[str, Any] = Snapshot(
    number=7, table="final", name="Final", theme="jade", language="both", on_air=[_CARD]
).model_dump(mode="json")
STATE: dict[str, Any] = TableState(
    table=_TABLE,
    seats=[
        SeatState(
            seat="east",
            player="Li Wei",
            region=_REGION,
            circumstances=CircumstancesModel(),
            proposal=_PROPOSAL,
            on_air=_CARD,
        )
    ],
    queue=[],
    number=7,
).model_dump(mode="json")
