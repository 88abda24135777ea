"""Examples for the OpenAPI document, recorded from the service itself.

tests/api/web/test_samples.py sends the requests and compares the answers, so that the examples stay
true; with ``RECORD_SAMPLES=1`` in the environment it writes them anew. Long lists of equal items
are shortened.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi.openapi.models import Example

_PLACE = "$sample"
_FILE = Path(__file__).with_name("samples.json")
_RECORDED: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8")) if _FILE.exists() else {}
_CASES = Path(__file__).parents[1] / "dossier" / "samples.json"
_RECORDED |= json.loads(_CASES.read_text(encoding="utf-8")) if _CASES.exists() else {}


def sample(name: str) -> dict[str, str]:
    """Make a placeholder that `fill` replaces.

    FastAPI would leave out every null of an example given to it directly.
    """
    return {_PLACE: name}


def fill(part: Any) -> Any:
    """Replace every placeholder in a part of the OpenAPI document by its recorded example."""
    if isinstance(part, dict):
        if list(part) == [_PLACE]:
            return _RECORDED.get(part[_PLACE])
        return {key: fill(value) for key, value in part.items()}
    return [fill(item) for item in part] if isinstance(part, list) else part


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
        "value": {
            "rules": "mcr-1998",
            "notation": "123345678m11pEEE",
            "circumstances": {"self_drawn": True},
        },
    },
}

HAND_CHANGES: dict[str, Example] = {
    "tile": {
        "summary": "Another tile, and why",
        "value": {
            "notation": "23m55pEEE[567m,1](9999s)1h+4m",
            "reason": "The corner of the 4m was cut off.",
        },
    },
    "circumstances": {
        "summary": "Won from a discard",
        "value": {"circumstances": {"seat_wind": "E", "round_wind": "E"}},
    },
    "rules": {"summary": "Under other rules", "value": {"rules": "mcr-2006"}},
    "winning_tile": {"summary": "The tile that won", "value": {"winning_tile": "3m"}},
}

WAITS_REQUESTS: dict[str, Example] = {
    "waits": {
        "summary": "A hand of 13",
        "value": {
            "rules": "mcr-1998",
            "notation": "123456789m11p23s",
            "circumstances": {"seat_wind": "E"},
            "visible": ["1s", "1s"],
        },
    },
}
COMPARISON_REQUESTS: dict[str, Example] = {
    "two": {
        "summary": "Two profiles of MCR",
        "value": {
            "rules": ["mcr-1998", "mcr-2006"],
            "notation": "123456m111222p5s+5s",
            "circumstances": {"self_drawn": True},
        },
    },
    "all": {"summary": "All rule sets", "value": {"notation": "123456m111222p5s+5s"}},
}
DEAL_REQUESTS: dict[str, Example] = {
    "deal": {
        "summary": "A kong, a win on the discard after it, and the wall's end",
        "value": {
            "players": ["A", "B", "C", "D"],
            "dealer": "A",
            "events": [
                {"type": "kong", "player": "D", "kong": "concealed"},
                {"type": "win", "player": "A", "base_points": 2, "from": "D", "kong_discard": True},
                {"type": "exhaust", "ready": {"B": 4, "D": 1}, "not_ready": ["C"]},
            ],
        },
    },
}
SESSION_REQUESTS: dict[str, Example] = {
    "sichuan": {
        "summary": "The first two deals of a Sichuan session, with a fine",
        "value": {
            "rules": "sichuan-2024",
            "players": ["A", "B", "C", "D"],
            "deals": [
                {
                    "events": [
                        {"type": "win", "player": "B", "base_points": 2, "from": "D"},
                        {"type": "exhaust", "ready": {"A": 4}, "not_ready": ["C", "D"]},
                    ]
                },
                {
                    "events": [
                        {"type": "fine", "player": "C", "reason": "signalling"},
                        {"type": "win", "player": "C", "base_points": 1, "self_drawn": True},
                        {"type": "exhaust", "ready": {"A": 1, "B": 1}, "not_ready": ["D"]},
                    ]
                },
            ],
        },
    },
    "mcr": {
        "summary": "A deal of MCR with two claims on one discard",
        "value": {
            "rules": "mcr-2006",
            "players": ["A", "B", "C", "D"],
            "deals": [
                {
                    "type": "win",
                    "from": "D",
                    "winners": [{"player": "C", "fan": 24}, {"player": "B", "fan": 8}],
                }
            ],
        },
    },
}
SESSION_CHANGES: dict[str, Example] = {
    "mcr": {
        "summary": "A deal of MCR, with the hand that won it",
        "value": {
            "log": {
                "rules": "mcr-1998",
                "players": ["A", "B", "C", "D"],
                "deals": [{"type": "win", "player": "B", "fan": 24, "from": "D"}],
            },
            "hands": [
                [
                    {
                        "player": "B",
                        "from": "D",
                        "total": 24,
                        "unit": "fan",
                        "tiles": ["2m", "2m", "E", "E", "E"],
                    }
                ]
            ],
        },
    },
}
