"""Tables rendered by a program other than our generator, with different gaps between melds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, GroupKind
from tests.vision.pictures import HEIGHT, WIDTH, Placed, detections, table

POND = """\
542 1035 579 1099 46 7p
552 999 590 1061 45 8p
563 964 602 1026 46 9p
575 928 613 991 46 9p
592 869 633 932 42 9p
624 782 661 850 108 9s
632 739 675 800 41 9s
643 700 687 762 37 9s
678 604 720 674 110 5p
688 558 732 619 32 3p
699 517 744 578 36 4p
722 437 770 497 28 ?
737 396 786 456 28 ?
753 353 800 413 29 ?
763 306 811 366 22 5s
471 589 505 643 41 E
481 553 514 606 35 1m
491 518 524 569 34 8m
502 480 535 532 30 7m
511 443 547 494 27 8m
522 405 557 456 26 6m
495 609 530 663 40 9p
506 573 540 625 30 4m
515 535 551 588 35 2s
526 497 561 550 32 2m
536 459 573 513 40 4m
548 421 585 474 32 6m
520 628 556 685 42 7s
531 591 566 645 30 7p
541 554 579 608 35 8m
553 514 589 572 42 3m
564 476 602 532 34 1s
575 438 612 493 33 N
304 987 330 1038 53 1p
322 1002 348 1057 105 1p
338 1018 363 1075 111 1p
366 1056 392 1113 110 6s
381 1074 409 1133 107 6s
398 1104 428 1162 50 6s
433 1150 465 1209 51 P
455 1169 486 1233 105 P
475 1189 506 1255 109 P
486 287 521 337 26 2s
478 325 511 374 30 2s
465 360 494 418 105 2s
450 423 479 479 106 2p
439 467 470 519 35 2p
430 502 461 552 35 2p
416 545 445 602 104 9m
407 588 437 639 39 9m
400 624 429 674 42 9m
"""
"""Tiles of a hand with three melds, and of a pond before it: box in pixels of a photo of 1718 by
1289, direction of the upright axis in degrees, face.
"""

OWN = 15
"""So many of them, the first ones, are the hand."""


def laid(text: str) -> Detections:
    rows = [line.split() for line in text.splitlines()]
    classes = np.full((len(rows), 43), 1e-6, np.float32)
    classes[np.arange(len(rows)), [Tile.from_code(row[5]) for row in rows]] = 1.0
    boxes = np.array([row[:4] for row in rows], np.float32)
    return Detections(
        boxes,
        np.full(len(rows), 0.95, np.float32),
        classes,
        np.radians(np.array([row[4] for row in rows], np.float32)),
    )


def test_a_hand_of_melds_is_found_behind_the_long_rows_of_a_pond() -> None:
    reading = read(arrange(laid(POND), (1718, 1289)))
    assert {t.id for t in reading.tiles if t.in_hand} == set(range(OWN))
    assert [len(g.tiles) for g in reading.groups] == [4, 3, 3, 4, 1]


@pytest.mark.parametrize("picture", ["2m3m4m5p6p7p8s8sEEE _ -PPP", "2m3m4m5p6p7p8s8sEEE _ PPP-P"])
def test_a_sideways_tile_centred_on_the_row_leaves_its_source_open(
    picture: str,
) -> None:
    flush = table(picture)
    level = next(t.y for t in flush if t.axis)
    assert "owner_unclear" not in {p.code for p in read(arrange(detections(flush))).problems}
    reading = read(arrange(detections([replace(t, y=level) for t in flush])))
    assert "owner_unclear" in {p.code for p in reading.problems}
    assert not reading.certain


def test_a_meld_that_lies_across_the_row_is_a_meld() -> None:
    row = table("2m3m4m5p6p7p8s8s _ -CCC")
    x = max(t.x for t in row) + 4 * WIDTH
    across = [Placed(x, row[0].y - WIDTH * k, 0.0, Tile.EAST) for k in range(3)]
    reading = read(arrange(detections([*row, *across])))
    kinds = {g.kind: {reading.tiles[i].tile for i in g.tiles} for g in reading.groups[2:]}
    assert kinds == {GroupKind.PUNG: {Tile.EAST}}
    assert "sideways_in_hand" not in {p.code for p in reading.problems}


def test_the_claimed_tile_of_a_meld_across_the_row_shows_its_source() -> None:
    """Seen from its own side the meld is a row, in which one tile lies sideways."""
    row = table("2m3m4m5p6p7p8s8s _ -CCC")
    x, y = max(t.x for t in row) + 4 * WIDTH, row[0].y
    upright = [Placed(x, y - WIDTH * k, 0.0, Tile.EAST) for k in range(2)]
    claimed = Placed(x, y - WIDTH * 1.5 - HEIGHT / 2, math.pi / 2, Tile.EAST)
    layout = arrange(detections([*row, *upright, claimed]))
    (meld,) = (b for b in layout.arrangements[0].blocks if set(b.tiles) == {11, 12, 13})
    assert meld.tiles[meld.claimed or 0] == 13


@pytest.mark.parametrize(
    ("kong", "sideways"), [("?EE?", []), ("?EEE", []), ("?E-E?", [13]), ("9m-9m9m?", [12])]
)
def test_an_open_sideways_tile_in_a_concealed_kong_is_reported(
    kong: str, sideways: list[int]
) -> None:
    """It may be a claimed pung beside cloth that was taken for a back."""
    reading = read(arrange(detections(table(f"2m3m4m5p6p7p8s8sCCC _ {kong}"))))
    assert GroupKind.CONCEALED_KONG in {g.kind for g in reading.groups}
    found = [i for p in reading.problems if p.code == "sideways_in_hand" for i in p.tiles]
    assert found == sideways
    assert reading.certain is not bool(sideways)
