"""A layout to a reading: the likeliest legal hands, the tiles with their faces, the groups, and
what is wrong or unclear.
"""

from __future__ import annotations

from hupai.scoring.hand import Hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import Convention, convention
from hupai.vision.layout.types import Arrangement, Layout
from hupai.vision.reading.certainty import Evidence, assurance, is_certain
from hupai.vision.reading.groups import groups_of
from hupai.vision.reading.inference import Inference, infer
from hupai.vision.reading.problem_catalogue import errors_first
from hupai.vision.reading.problem_checks import (
    hand_problems,
    owner_problem,
    photo_problems,
    refusal_problem,
)
from hupai.vision.reading.units import Classes, in_play
from hupai.vision.types import Group, LikelyHand, PhotoProblem, Reading, ReadTile

MOST_HANDS = 8
"""Hands listed at most."""

_LEAST_PROBABILITY = 0.002
_LEAST_ALTERNATIVE = 0.01
_MOST_ALTERNATIVES = 4


def read(layout: Layout, rules: RuleSet | None = None) -> Reading:
    """The reading of a layout. Never raises for a bad photo: what is wrong is among the problems.

    Args:
        layout: from `hupai.vision.layout.arrange.arrange`.
        rules: kinds these rules do not use become unlikely, and melds are expected as these rules
            lay them.
    """
    classes = in_play(layout.detections.probabilities, rules.tiles if rules else None)
    if not layout.arrangements:
        return Reading(_tiles(layout, {}, (), None, classes), problems=(refusal_problem(layout),))
    habits = convention(rules.id if rules else None)
    inference = infer(layout.arrangements, classes, habits)
    arrangement, faces, hand = _decide(inference, habits)
    groups = groups_of(
        arrangement, faces, inference.best().row_kongs if inference.believes else (), hand
    )
    tiles = _tiles(layout, faces, groups, inference, classes)
    hands = tuple(
        LikelyHand(h, p) for h, p in inference.hands[:MOST_HANDS] if p >= _LEAST_PROBABILITY
    )
    value = _assurance(layout, faces, inference)
    problems = errors_first(
        [
            *photo_problems(layout, inference, arrangement, faces),
            *owner_problem(layout, groups),
            *hand_problems(arrangement, tiles, inference, hand, classes, rules, layout.sideways),
        ]
    )
    return Reading(
        tiles, groups, hands, is_certain(value) and may_be_certain(problems), problems, value
    )


def _decide(
    inference: Inference, habits: Convention
) -> tuple[Arrangement, dict[int, Tile], Hand | None]:
    """The arrangement and faces to show: those of the likeliest hand, or as seen where no legal
    hand is believed.
    """
    if inference.believes:
        best = inference.best()
        return best.arrangement, best.faces, best.hand
    return inference.arrangement, inference.faces_seen, None


def _tiles(
    layout: Layout,
    faces: dict[int, Tile],
    groups: tuple[Group, ...],
    inference: Inference | None,
    classes: Classes,
) -> tuple[ReadTile, ...]:
    """Every detection as a tile of the reading, second boxes of one tile left out."""
    home = {i: group.id for group in groups for i in group.tiles}
    return tuple(
        _tile(layout, i, faces.get(i), home.get(i), inference, classes[i])
        for i in range(len(layout.detections))
        if i not in layout.duplicates
    )


def _tile(
    layout: Layout,
    i: int,
    face: Tile | None,
    group: int | None,
    inference: Inference | None,
    row: Classes,
) -> ReadTile:
    shares = row if inference is None or face is None else inference.shares[i]
    seen = Tile(int(row.argmax()))
    shown = seen if face is None else face
    ranked = sorted(
        ((float(shares[t]), Tile(t)) for t in range(43) if t != shown), key=lambda pair: -pair[0]
    )
    box = layout.detections.boxes[i]
    return ReadTile(
        id=i,
        tile=shown,
        box=(float(box[0]), float(box[1]), float(box[2]), float(box[3])),
        confidence=min(max(float(shares[shown]), 0.0), 1.0),
        alternatives=tuple(
            (tile, share)
            for share, tile in ranked[:_MOST_ALTERNATIVES]
            if share >= _LEAST_ALTERNATIVE
        ),
        sideways=i in layout.sideways,
        in_hand=face is not None,
        group=group,
        inferred=face is not None and shown is not seen,
    )


def _assurance(layout: Layout, faces: dict[int, Tile], inference: Inference) -> float:
    """Assurance of the likeliest hand; none where no legal hand is believed."""
    if not inference.believes:
        return 0.0
    scores = tuple(float(layout.detections.scores[i]) for i in faces)
    seen = tuple(float(layout.detections.probabilities[i].max()) for i in faces)
    return assurance(Evidence(inference.hands[0][1], scores, seen))


_DOUBTFUL = frozenset(
    {
        "no_legal_hand",
        "face_down_tile",
        "too_few_tiles",
        "too_many_tiles",
        "five_of_a_kind",
        "flower_twice",
        "several_hands",
        "kong_tile_unseen",
        "kong_kind_unknown",
        "selection_unclear",
        "flowers_apart",
        "cut_by_edge",
        "odd_size",
        "faint_tile",
        "gap_in_hand",
        "owner_unclear",
        "sideways_in_hand",
    }
)


def may_be_certain(problems: tuple[PhotoProblem, ...]) -> bool:
    """No problem that by itself puts the reading in doubt."""
    return not any(p.code in _DOUBTFUL for p in problems)


__all__ = ["MOST_HANDS", "may_be_certain", "read"]
