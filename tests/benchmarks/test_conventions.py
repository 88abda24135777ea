"""Tables laid in other conventions: they are what they say they are, and readings of them keep
their promise.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict, replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from benchmarks.conventions import __main__ as conventions
from benchmarks.conventions.__main__ import RESULTS, certain_and_wrong, tally
from benchmarks.conventions.families import FAMILIES
from benchmarks.conventions.laying import apart
from benchmarks.conventions.scene import Table, table
from benchmarks.layout.compare import Outcome, examine
from hupai.datasets.synthetic.scene import PlacedTile
from hupai.scoring.decomposition.shapes import Shape, splits
from hupai.scoring.hand import MeldKind
from hupai.scoring.tiles import PLAYABLE, Tile

SHAPES = frozenset({Shape.STANDARD, Shape.SEVEN_PAIRS, Shape.THIRTEEN_ORPHANS})
SEEDS = range(3)
EASY = ("base", "gap_wide", "kong_exposed", "melds_left", "added_tight")
RIGHT = Outcome(True, True, True, True, True, False, True, 1.0, 1.0, 1.0)

laid = cache(table)


@cache
def read(family: str, seed: int) -> Outcome:
    return examine(laid(family, seed))[0]


def own(shown: Table) -> list[PlacedTile]:
    return [tile for tile in shown.tiles if tile.in_hand]


def test_a_table_follows_from_family_and_seed() -> None:
    first, again, other = table("mix", 7), table("mix", 7), table("mix", 8)
    assert (first.hand, first.style, first.tiles, first.size) == (
        again.hand,
        again.style,
        again.tiles,
        again.size,
    )
    assert np.array_equal(first.detections.boxes, again.detections.boxes)
    assert np.array_equal(first.detections.axes, again.detections.axes)
    assert first.tiles != other.tiles
    assert first.hand != table("mix_hard", 7).hand


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_lays_legal_hands(family: str) -> None:
    for seed in SEEDS:
        shown = laid(family, seed)
        hand = shown.hand
        assert hand.size == 14
        assert splits(hand, SHAPES)
        assert Counter(t.face for t in own(shown)) == Counter((*hand.all_tiles, *hand.flowers))
        open_tiles = Counter(t.face for t in shown.tiles if not t.face_down)
        assert all(open_tiles[face] <= 4 for face in PLAYABLE)


@pytest.mark.parametrize("family", FAMILIES)
def test_tiles_do_not_overlap_and_the_hand_is_on_the_photo(family: str) -> None:
    for seed in SEEDS:
        shown = laid(family, seed)
        assert all(apart(a, b, shown.style.height) for a, b in combinations(shown.tiles, 2))
        corners = np.vstack(
            [quad for tile, quad in zip(shown.tiles, shown.quads, strict=True) if tile.in_hand]
        )
        assert corners.min() >= 0
        assert (corners <= shown.size).all()
        assert len(shown.detections) == len(shown.tiles)


@pytest.mark.parametrize("family", EASY)
def test_hands_laid_clearly_are_read_exactly(family: str) -> None:
    assert [seed for seed in range(5) if not read(family, seed).right] == []


@pytest.mark.nightly
@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_certain_and_wrong(family: str) -> None:
    assert [seed for seed in SEEDS if certain_and_wrong(read(family, seed))] == []


def test_overlapping_tiles_are_not_reported_as_apart() -> None:
    tile = PlacedTile(Tile.M1, 0.0, 0.0)
    beside, above = replace(tile, x=1.02), replace(tile, y=1.36)
    assert not apart(tile, replace(tile, x=0.98), 1.34)
    assert apart(tile, beside, 1.34)
    assert apart(tile, above, 1.34)
    assert not apart(tile, beside, 1.34, space=0.05)
    assert not apart(tile, replace(beside, angle=0.1), 1.34)


@pytest.mark.parametrize(
    ("family", "kind"),
    [
        ("kong_exposed", MeldKind.KONG),
        ("added_tight", MeldKind.ADDED_KONG),
        ("backs_tight", MeldKind.CONCEALED_KONG),
    ],
)
def test_families_of_kongs_lay_that_kind(family: str, kind: MeldKind) -> None:
    kongs = [meld.kind for seed in SEEDS for meld in laid(family, seed).hand.melds if meld.is_kong]
    assert len(kongs) >= len(SEEDS)
    assert set(kongs) == {kind}


def test_only_marked_melds_have_a_sideways_tile() -> None:
    for seed in SEEDS:
        assert not any(tile.sideways for tile in own(laid("unmarked", seed)))
        for number in {tile.group for tile in own(laid("kong_exposed", seed)) if tile.claimed_from}:
            assert (
                sum(
                    tile.sideways
                    for tile in own(laid("kong_exposed", seed))
                    if tile.group == number
                )
                == 1
            )


def test_confusing_two_equal_winning_tiles_is_not_a_wrong_certain_reading() -> None:
    other_tile = replace(RIGHT, groups=False, claims=False, winning=False)
    wrong = replace(RIGHT, hand=False)
    in_doubt = replace(wrong, certain=False)
    counts = tally([RIGHT, other_tile, wrong, in_doubt])
    assert asdict(counts) == {
        "scenes": 4,
        "groups": 3,
        "claims": 3,
        "hand": 2,
        "certain": 3,
        "certain_wrong": 1,
    }


def test_command_counts_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "counts.json"
    monkeypatch.setattr(
        sys,
        "argv",
        ["conventions", "--scenes", "2", "--family", "base", "special", "--out", str(out)],
    )
    conventions.main()
    written = json.loads(out.read_text("utf-8"))
    assert list(written) == ["base", "special", "all"]
    assert written["all"]["scenes"] == 4
    assert "special" in capsys.readouterr().out


def test_committed_results_are_of_these_families() -> None:
    assert list(json.loads(RESULTS.read_text("utf-8"))) == [*FAMILIES, "all"]


def test_a_hand_is_not_refused_because_its_melds_lie_across() -> None:
    """With few of its tiles in rows of one direction it scores like a heap."""
    assert examine(laid("melds_across", 5))[1].hands
