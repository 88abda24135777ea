"""Examples of requests for the OpenAPI document; tests/api/dossier/test_routes.py records those of
answers.
"""

from __future__ import annotations

from pathlib import Path

from fastapi.openapi.models import Example

FILE = Path(__file__).with_name("samples.json")

CORRECTIONS: dict[str, Example] = {
    "notation": {
        "summary": "A flower read as another",
        "value": {
            "notation": "23m55pEEE[567m,1](9999s)2h+1m",
            "reason": "The flower is summer, not spring.",
            "stated": "Anna",
        },
    },
    "circumstances": {
        "summary": "It was no self-draw",
        "value": {
            "circumstances": {"seat_wind": "E", "round_wind": "E"},
            "reason": "The tile was discarded by South.",
        },
    },
}
DECISIONS: dict[str, Example] = {
    "accept": {
        "summary": "Accept",
        "value": {"accepted": True, "reason": "The photo shows it.", "stated": "Chief referee"},
    }
}
CLAIMS: dict[str, Example] = {
    "claim": {
        "summary": "A claim",
        "value": {"by": "Anna", "total": 12, "fans": ["双暗刻", "圈风刻"], "text": "自摸"},
    }
}
OBJECTIONS: dict[str, Example] = {
    "claim": {
        "summary": "The opponent objects to the claim",
        "value": {
            "by": "Ben",
            "entry": 3,
            "what": "双暗刻",
            "reason": "The second pung was claimed from me.",
        },
    }
}
RULINGS: dict[str, Example] = {
    "win": {
        "summary": "The win stands",
        "value": {"outcome": "win", "reason": "As computed.", "clause": "MCR 1998"},
    },
    "false_win": {
        "summary": "A false win with a fine",
        "value": {
            "outcome": "false_win",
            "reason": "Below the minimum.",
            "fine": {"rules": "mcr-1998", "offence": "false_win", "points": 20},
        },
    },
}
PLACES: dict[str, Example] = {
    "table": {
        "summary": "Table and players",
        "value": {
            "tournament": "Spring Open",
            "session": "2",
            "table": "3",
            "round": "East 4",
            "players": [
                {"seat": "E", "name": "Anna", "number": "12"},
                {"seat": "S", "name": "Ben"},
            ],
            "winner": "E",
        },
    }
}
NOTES: dict[str, Example] = {
    "note": {"summary": "A remark", "value": {"text": "West saw the draw."}}
}
STATES: dict[str, Example] = {
    "close": {"summary": "Close", "value": {"closed": True, "reason": "Signed by all."}}
}
