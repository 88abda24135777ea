"""Hupai reads a photo of a revealed mahjong hand and says what it scores, and why.

    import hupai

    photo = hupai.read("examples/pungs.jpg")
    print(photo)
    score = photo.score("mcr-1998", seat="E", round="E", self_drawn=True)
    print(score)

Nothing is loaded before it is used, so that the import itself takes no time.
"""

from __future__ import annotations

import os
from importlib import import_module

# Threads of NumPy's OpenBLAS would otherwise spin for some 20 ms after each product of matrices, on
# a core that the networks need; read when NumPy is loaded.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

TYPE_CHECKING = False  # what type checkers take for true; `typing` itself would take 10 ms
if TYPE_CHECKING:
    from hupai.api.facade.batch import score_many
    from hupai.api.facade.errors import (
        ArgumentError,
        CorrectionError,
        NoLegalHandError,
        PhotoFileError,
        UnknownCircumstanceError,
        WinningTileUnknownError,
    )
    from hupai.api.facade.photos import PhotoResult, Recogniser, read
    from hupai.api.facade.scores import (
        ComparisonResult,
        ScoreResult,
        WaitsResult,
        compare,
        rule_sets,
        score,
        waits,
    )
    from hupai.scoring.batch.hand_arrays import BatchError, HandArrays
    from hupai.scoring.batch.result import BatchScores
    from hupai.scoring.errors import HupaiError
    from hupai.scoring.hand import Circumstances, Hand, Meld
    from hupai.scoring.notation import format_hand, parse_hand
    from hupai.scoring.result import RuleSet, Score
    from hupai.scoring.tiles import Tile

    __version__: str

_HOMES = {
    "hupai.api.facade.batch": ("score_many",),
    "hupai.api.facade.errors": (
        "ArgumentError",
        "CorrectionError",
        "NoLegalHandError",
        "PhotoFileError",
        "UnknownCircumstanceError",
        "WinningTileUnknownError",
    ),
    "hupai.api.facade.photos": ("PhotoResult", "Recogniser", "read"),
    "hupai.api.facade.scores": (
        "ComparisonResult",
        "ScoreResult",
        "WaitsResult",
        "compare",
        "rule_sets",
        "score",
        "waits",
    ),
    "hupai.scoring.batch.hand_arrays": ("BatchError", "HandArrays"),
    "hupai.scoring.batch.result": ("BatchScores",),
    "hupai.scoring.errors": ("HupaiError",),
    "hupai.scoring.hand": ("Circumstances", "Hand", "Meld"),
    "hupai.scoring.notation": ("format_hand", "parse_hand"),
    "hupai.scoring.result": ("RuleSet", "Score"),
    "hupai.scoring.tiles": ("Tile",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ArgumentError",
    "BatchError",
    "BatchScores",
    "Circumstances",
    "ComparisonResult",
    "CorrectionError",
    "Hand",
    "HandArrays",
    "HupaiError",
    "Meld",
    "NoLegalHandError",
    "PhotoFileError",
    "PhotoResult",
    "Recogniser",
    "RuleSet",
    "Score",
    "ScoreResult",
    "Tile",
    "UnknownCircumstanceError",
    "WaitsResult",
    "WinningTileUnknownError",
    "__version__",
    "compare",
    "format_hand",
    "parse_hand",
    "read",
    "rule_sets",
    "score",
    "score_many",
    "waits",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        value: object = import_module("importlib.metadata").version("hupai")
    elif name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'hupai' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
