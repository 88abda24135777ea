"""Rules by which doubts exclude a certain reading, whatever the regression says.

The regression is fitted on too few wrong readings to learn them all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from hupai.vision.numeric import logistic as _probability

_TILES_DOUBT = 0.1
"""Probability of hands with other tiles from which no reading is certain, whatever the regression
says.
"""
_GROUPS_DOUBT = 0.2
"""The same for hands of the same tiles with other melds, or with another winning tile; higher, as
these probabilities are overestimated. With 1/3, two tables were certain but wrong, at 0.22 and
0.31.
"""
_UNMARKED = 1.0
"""Value of `unmarked_doubt` above which no reading is certain: sets without a sideways tile may be
concealed tiles laid apart. With 3, a held-out design and a whole table were certain but wrong.
"""
_LEAST_FACE = 0.96
"""Probability, a mean over the copies of a face, that they show no other face that would fit as
well. Below it no reading is certain, however likely the hand: copies look alike, so they are
misread alike. With 0.93, two of 999 held-out designs were certain but wrong, at 0.952 and 0.955.
"""
_LEAST_TILE = 0.92
"""Probability of the face of a single tile below which no reading is certain, however well the face
fits. Of 999 held-out designs, one at 0.90 would be certain although its flowers are left out.
"""
_LEAST_FLOWER = 2 / 3
"""Probability that a tile read as a flower is one, below which no reading is certain."""
_NEARER = 0.6
"""Distance of a flower from other tiles, relative to that from the hand, above which no reading is
certain: it may be the hand's. Of the recorded readings that only this excludes, all 42 from 0.5 to
0.6 are right; the first wrong one is at 0.62.
"""
_MISREAD = 0.75
"""Probability that a hand that would have won but for one face (`almost_won`) is misread: 14 of 16
such readings were.
"""
_TWO_TO_ONE = math.log(2.0)
"""Log-odds of the melds by geometry below which no reading is certain, however likely the hand."""
_END_APART = 0.6
"""Excess of the step to an end tile over the widest other step, in tenths, from which the tile
lies apart.
"""
_SETS_APART = 2
"""Number of sets lying apart from the concealed tiles that may be melds; one may be chance."""


def forbids(values: Mapping[str, float]) -> bool:
    """Return whether some feature alone forbids a certain reading.

    Another hand may be too likely, a face too doubtful, or the melds less likely than two to one.
    Melds without a sideways tile may be concealed tiles; sets laid apart from the concealed tiles
    may be melds, and a sideways tile part of one; a fourth tile nearby may make a pung a kong. A
    tile apart at the end of the row may be the winning tile. A hand of 13 may have its winning tile
    elsewhere, or lack another tile if one lies on the row or the winning one is out of line. A
    winning tile may be part of a set that was left out, or another tile that touches the hand may
    be the winning one. A flower near the hand may belong to it, and a faint one may not be a
    flower. A face that alone keeps the hand from winning is probably misread. A kong of white
    dragons may be four backs that look blank, and white dragons that alone are concealed may be
    patches of cloth. A hand neither won nor ready that other tiles touch may be any of them: so was
    a photo of twenty loose tiles.
    """
    return bool(
        values["tiles_doubt"] > _TILES_DOUBT
        or max(values["melds_doubt"], values["winner_doubt"]) > _GROUPS_DOUBT
        or _probability(values["weakest_kind"]) < _LEAST_FACE
        or _probability(values["weakest_face"]) < _LEAST_TILE
        or values["grouping_odds"] < _TWO_TO_ONE
        or values["unmarked_doubt"] > _UNMARKED
        or values["kong_face_left"] + values["kong_back_left"] > 0
        or values["sets_apart"] >= _SETS_APART
        or values["end_apart"] > _END_APART
        or values["winner_in_set"] + values["other_winners"] > 0
        or values["sideways"] > 0
        or values["flowers_near"] > _NEARER
        or values["flowers_own_weak"] > 1.0 - _LEAST_FLOWER
        or values["unseen_winner"] > 0
        or values["almost_won"] > 0
        or values["white_kong"] > 0
        or (values["incomplete"] > 0 and values["touching"] > 0)
    )


def least_sure(values: Mapping[str, float]) -> float:
    """Return an upper bound on the assurance of a reading that `forbids` excludes.

    The regression is fitted on other readings and knows little of such doubts, but no reading is
    surer than its weakest face, or than that no other hand is meant and no face is misread.
    """
    doubts = (values["tiles_doubt"], values["melds_doubt"], values["winner_doubt"])
    faces = (_probability(values[name]) for name in ("weakest_kind", "weakest_face"))
    misread = _MISREAD * values["almost_won"]
    return min(*faces, *(1.0 - doubt for doubt in (*doubts, misread)))
