"""Examples for the OpenAPI document, recorded from the service itself (``python -m api.record_samples``).

A test sends the requests and compares the answers, so that the examples stay true.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi.openapi.models import Example

_FILE = Path(__file__).with_name("samples.json")
_RECORDED: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8")) if _FILE.exists() else {}

READING: Any = _RECORDED.get("reading")
HAND_ANSWER: Any = _RECORDED.get("hand_answer")
SCORE_ANSWER: Any = _RECORDED.get("score_answer")
RULES: Any = _RECORDED.get("rules")
TILES: Any = _RECORDED.get("tiles")

SCORE_REQUESTS: dict[str, Example] = {
    "notation": {
        "summary": "A hand in notation",
        "value": {
            "rules": "mcr-1998",
            "notation": "23m55pEEE[567m,1](9999s)1h+1m",
            "circumstances": {"self_drawn": True, "seat_wind": "E", "round_wind": "E"},
        },
    },
    "structured": {
        "summary": "The same hand, tile by tile",
        "value": {
            "rules": "mcr-1998",
            "hand": {
                "concealed": ["2m", "3m", "5p", "5p", "E", "E", "E"],
                "melds": [
                    {"kind": "chow", "tiles": ["5m", "6m", "7m"], "claimed_from": "left"},
                    {"kind": "concealed_kong", "tiles": ["9s", "9s", "9s", "9s"]},
                ],
                "winning_tile": "1m",
                "flowers": ["1h"],
            },
            "circumstances": {"self_drawn": True, "seat_wind": "E", "round_wind": "E"},
        },
    },
    "question": {
        "summary": "The winning tile is not known: the answer asks",
        "value": {"rules": "mcr-1998", "notation": "123345678m11pEEE", "circumstances": {"self_drawn": True}},
    },
}
