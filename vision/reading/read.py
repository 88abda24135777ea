"""From a layout to a reading: the likeliest legal hands, tiles, groups, and problems."""

from __future__ import annotations

from hupai.scoring.result import RuleSet, Severity
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import convention
from hupai.vision.layout.types import Layout
from hupai.vision.reading.certainty import Evidence, assurance, is_certain
from hupai.vision.reading.groups import groups_of
from hupai.vision.reading.inference import Inference, infer
from hupai.vision.reading.problem_checks import Decision, reading_problems, refusal_problem
from hupai.vision.reading.red_fives import with_red_fives
from hupai.vision.reading.units import Classes, restrict_to_rules
from hupai.vision.types import Group, LikelyHand, PhotoProblem, Reading, ReadTile, is_red

MAX_HANDS = 8
"""Most hands listed."""
_MIN_PROBABILITY = 0.002
"""Least probability of a hand that is listed."""
_MAX_ALTERNATIVES = 4
"""Most other faces listed for a tile."""
_MIN_ALTERNATIVE = 0.01
"""Least probability of another face that is listed."""
_DOUBTS = frozenset(
    {
        "cut_by_edge",
        "faint_tile",
        "flowers_apart",
        "gap_in_hand",
        "kong_kind_unknown",
        "kong_tile_unseen",
        "odd_size",
        "owner_unclear",
        "selection_unclear",
        "several_hands",
        "sideways_in_hand",
    }
)
"""Codes of problems, besides errors, that by themselves put a reading in doubt."""


def read(layout: Layout, rules: RuleSet | None = None) -> Reading:
    """Read a layout. Never raises for a bad photo: what is wrong is among the problems.

    Args:
        layout: from `hupai.vision.layout.arrange.arrange`.
        rules: kinds these rules do not use become unlikely, and melds are expected as these rules
            lay them.
    """
    classes = restrict_to_rules(layout.detections.probabilities, rules)
    if not layout.arrangements:
        return Reading(_tiles(layout, {}, (), None, classes), problems=(refusal_problem(layout),))
    habits = convention(rules.id if rules else None)
    inference = infer(layout.arrangements, classes, habits)
    best = inference.best
    if best is not None:
        arrangement, faces, hand, row_kongs = (
            best.arrangement,
            best.faces,
            best.hand,
            best.row_kongs,
        )
    else:
        arrangement, hand, row_kongs = inference.arrangement, None, ()
        faces = {i: inference.seen[i] for i in arrangement.tiles}
    groups = groups_of(arrangement, faces, row_kongs, hand)
    tiles = _tiles(layout, faces, groups, inference, classes)
    held = tuple(tile for tile in tiles if tile.in_hand)
    problems = reading_problems(
        Decision(layout, inference, arrangement, faces, hand, groups, held, classes, rules, habits)
    )
    value = 0.0 if hand is None else _assurance(layout, faces, inference)
    return Reading(
        tiles,
        groups,
        tuple(
            LikelyHand(with_red_fives(h, held, groups), p)
            for h, p in inference.hands[:MAX_HANDS]
            if p >= _MIN_PROBABILITY
        ),
        is_certain(value) and may_be_certain(problems),
        problems,
        value,
    )


def may_be_certain(problems: tuple[PhotoProblem, ...]) -> bool:
    """Tell whether no problem by itself puts a reading in doubt."""
    return not any(p.severity is Severity.ERROR or p.code in _DOUBTS for p in problems)


def _assurance(layout: Layout, faces: dict[int, Tile], inference: Inference) -> float:
    """Measure how sure the likeliest hand is."""
    scores = tuple(float(layout.detections.scores[i]) for i in faces)
    seen = tuple(float(layout.detections.probabilities[i].max()) for i in faces)
    return assurance(Evidence(inference.hands[0][1], scores, seen))


def _tiles(
    layout: Layout,
    faces: dict[int, Tile],
    groups: tuple[Group, ...],
    inference: Inference | None,
    classes: Classes,
) -> tuple[ReadTile, ...]:
    """List every detection as a tile of the reading, but second boxes of one tile."""
    group_of = {i: group.id for group in groups for i in group.tiles}
    tiles = []
    for i, row in enumerate(classes):
        if i not in layout.duplicates:
            shares = inference.shares[i] if inference is not None and i in faces else row
            tiles.append(_tile(layout, i, faces.get(i), group_of.get(i), shares, row))
    return tuple(tiles)


def _tile(
    layout: Layout, i: int, face: Tile | None, group: int | None, shares: Classes, row: Classes
) -> ReadTile:
    """Make a tile of the reading; `shares` are its face probabilities, `row` those as seen."""
    seen = Tile(int(row.argmax()))
    shown = seen if face is None else face
    ranked = sorted(
        ((tile, float(shares[tile])) for tile in Tile if tile != shown), key=lambda pair: -pair[1]
    )
    return ReadTile(
        id=i,
        tile=shown,
        box=layout.detections.box(i),
        confidence=min(max(float(shares[shown]), 0.0), 1.0),
        alternatives=tuple(
            (tile, share) for tile, share in ranked[:_MAX_ALTERNATIVES] if share >= _MIN_ALTERNATIVE
        ),
        sideways=i in layout.sideways,
        in_hand=face is not None,
        group=group,
        inferred=face is not None and shown is not seen,
        quad=layout.detections.quad(i),
        red=is_red(shown, float(layout.detections.reds[i])),
    )
