"""From a layout to a reading: the likeliest legal hands, tiles, groups, and problems."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from hupai.scoring.result import RuleSet, Severity
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import convention
from hupai.vision.geometry.boxes import most_central
from hupai.vision.layout.types import Layout
from hupai.vision.layout.weights import shipped_weights
from hupai.vision.reading.certainty.assurance import probability
from hupai.vision.reading.certainty.evidence import Evidence
from hupai.vision.reading.certainty.features import features
from hupai.vision.reading.certainty.rules import forbids, least_sure
from hupai.vision.reading.groups import groups_of
from hupai.vision.reading.hands import is_complete
from hupai.vision.reading.inference import Inference, infer
from hupai.vision.reading.problem_checks import Decision, reading_problems, refusal_problem
from hupai.vision.reading.red_fives import with_red_fives
from hupai.vision.reading.units import Classes, restrict_to_rules
from hupai.vision.types import Group, LikelyHand, OtherHand, PhotoProblem, Reading, ReadTile, is_red

MAX_HANDS = 8
"""Maximum number of hands listed."""
_MIN_PROBABILITY = 0.002
"""Least probability of a hand that is listed."""
_MAX_ALTERNATIVES = 4
"""Maximum number of other faces listed for a tile."""
_MIN_ALTERNATIVE = 0.01
"""Least probability of another face that is listed."""
_VETOES = frozenset(
    {
        "faint_tile",
        "gap_in_hand",
        "grouping_unclear",
        "hand_unclear",
        "kong_tile_unseen",
        "low_confidence",
        "odd_size",
        "owner_unclear",
        "several_hands",
        "tile_inferred",
    }
)
"""Codes of problems, besides errors, that forbid a certain reading: it is unclear which hand is
meant, which tiles are melds, who discarded a claimed tile or whether a box contains a whole tile,
or the player is asked to check a tile.
"""


def read(layout: Layout, rules: RuleSet | None = None) -> Reading:
    """Read a layout. Never raises for a bad photo; reports problems instead.

    Args:
        layout: from `hupai.vision.layout.arrange.arrange`.
        rules: the rule set: kinds it does not use become unlikely, and it determines how melds are
            laid.
    """
    return read_with_features(layout, rules)[0]


def read_with_features(
    layout: Layout, rules: RuleSet | None = None
) -> tuple[Reading, dict[str, float]]:
    """Read a layout like `read`, and return the features of its certainty as well.

    There are no features without a hand.
    """
    classes = restrict_to_rules(layout.detections.probabilities, rules)
    if not layout.arrangements:
        tiles = _tiles(layout, {}, (), None, classes)
        return Reading(tiles, problems=(refusal_problem(layout),)), {}
    decision, tiles = _decide(layout, classes, rules)
    problems = reading_problems(decision)
    hands = tuple(LikelyHand(hand, p) for hand, p in decision.inference.hands)
    sure = _certainty(decision, hands, problems)
    threshold = shipped_weights().certainty.get("threshold", 1.0)
    reading = Reading(
        tiles,
        decision.groups,
        tuple(
            LikelyHand(
                with_red_fives(one.hand, decision.tiles, decision.groups),
                one.probability * sure.tiles_right,
            )
            for one in hands[:MAX_HANDS]
            if one.probability >= _MIN_PROBABILITY
        ),
        sure.assurance >= threshold and may_be_certain(problems, sure.features),
        problems,
        sure.assurance,
        _other_hands(layout, decision.faces.keys()),
    )
    return reading, sure.features


def _decide(
    layout: Layout, classes: Classes, rules: RuleSet | None
) -> tuple[Decision, tuple[ReadTile, ...]]:
    """Choose the hand of a layout, or else its likeliest grouping; also list all tiles."""
    habits = convention(rules.id if rules else None)
    inference = infer(layout.arrangements, classes, habits)
    best = inference.best
    arrangement = inference.arrangement if best is None else best.arrangement
    faces = {i: inference.seen[i] for i in arrangement.tiles} if best is None else best.faces
    hand = None if best is None else best.hand
    groups = groups_of(arrangement, faces, () if best is None else best.row_kongs, hand)
    tiles = _tiles(layout, faces, groups, inference, classes)
    held = tuple(tile for tile in tiles if tile.in_hand)
    decision = Decision(
        layout, inference, arrangement, faces, hand, groups, held, classes, rules, habits
    )
    return decision, tiles


@dataclass(frozen=True, slots=True)
class _Certainty:
    """How far a reading can be relied on.

    Attributes:
        features: those of its certainty; none without a hand.
        assurance: probability that everything about it is right.
        tiles_right: probability that its tiles are right.
    """

    features: dict[str, float]
    assurance: float
    tiles_right: float


def _certainty(
    d: Decision, hands: tuple[LikelyHand, ...], problems: tuple[PhotoProblem, ...]
) -> _Certainty:
    """Judge the hand that was chosen among `hands`."""
    if d.hand is None:
        return _Certainty({}, 0.0, 1.0)
    evidence = Evidence(
        d.layout,
        d.arrangement,
        hands,
        d.inference.no_hand_weight / d.inference.total,
        d.faces,
        d.inference.seen,
        {p.code for p in problems},
        is_complete(d.hand, d.habits, hidden=True),
        d.waits,
        d.habits.hand_size,
    )
    values, weights = features(evidence), shipped_weights()
    assurance = probability(values, weights.certainty)
    if forbids(values):
        assurance = min(assurance, least_sure(values))
    return _Certainty(values, assurance, probability(values, weights.tiles))


def may_be_certain(problems: tuple[PhotoProblem, ...], values: Mapping[str, float]) -> bool:
    """Return whether neither a problem nor a feature (`forbids`) forbids a certain reading."""
    doubtful = any(p.severity is Severity.ERROR or p.code in _VETOES for p in problems)
    return not doubtful and not (values and forbids(values))


def _other_hands(layout: Layout, held: Set[int]) -> tuple[OtherHand, ...]:
    """Represent each hand other than that of these tiles by the tile nearest to its centre."""
    found = []
    for ids in layout.hands_beside(held):
        x, y = most_central(layout.detections.boxes[list(ids)])
        found.append(OtherHand((round(x, 1), round(y, 1)), ids))
    return tuple(found)


def _tiles(
    layout: Layout,
    faces: dict[int, Tile],
    groups: tuple[Group, ...],
    inference: Inference | None,
    classes: Classes,
) -> tuple[ReadTile, ...]:
    """List every detection except duplicates as a tile of the reading."""
    group_of = {i: group.id for group in groups for i in group.tiles}
    shares = classes if inference is None else inference.shares
    return tuple(
        _tile(layout, i, faces.get(i), group_of.get(i), (shares if i in faces else classes)[i], row)
        for i, row in enumerate(classes.argmax(axis=1).tolist())
        if i not in layout.duplicates
    )


def _tile(
    layout: Layout, i: int, face: Tile | None, group: int | None, shares: Classes, likeliest: int
) -> ReadTile:
    """Make a tile of the reading.

    Args:
        layout: the layout of the photo.
        i: id of the detection.
        face: its face in the hand; None outside of the hand.
        group: id of its group, if any.
        shares: shape (43,), probability of each face.
        likeliest: index of the likeliest class of the detection by itself.
    """
    seen = Tile(likeliest)
    own = seen if face is None else face
    others = [(p, k) for k, p in enumerate(shares.tolist()) if p >= _MIN_ALTERNATIVE and k != own]
    others.sort(key=lambda pair: -pair[0])
    return ReadTile(
        id=i,
        tile=own,
        box=layout.detections.box(i),
        confidence=min(max(float(shares[own]), 0.0), 1.0),
        alternatives=tuple((Tile(k), p) for p, k in others[:_MAX_ALTERNATIVES]),
        sideways=i in layout.sideways,
        in_hand=face is not None,
        group=group,
        inferred=face is not None and own is not seen,
        quad=layout.detections.quad(i),
        red=is_red(own, float(layout.detections.reds[i])),
    )
