"""One or two backs without a face beside them are part of no hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hupai.vision.geometry.table_tiles import ground_of
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.segments import stray_backs
from tests.vision.pictures import detections, table


@pytest.mark.parametrize(
    ("picture", "stray"),
    [
        ("2m3m4m5p6p7p8s8sCCC _ _ ?EE?", []),
        ("2m3m4m5p6p7p8s8sCCC _ _ ????", []),
        ("2m3m4m5p6p7p8s8sCCC _ _ _ ?", [11]),
        ("2m3m4m5p6p7p8s8sCCC _ _ _ ??", [11, 12]),
        ("2m3m4m5p6p7p8s8sCCC _ _ _ ???", []),
        ("2m3m4m5p6p7p8s8sCCC _ _ _ ? _ _ _ _ ??", [11, 12, 13]),
        ("2m3m4m5p6p7p8s8sCCC _ _ _ ???\n???", []),
        ("2m3m4m5p6p7p8s8sCCC?", []),
        ("2m3m4m5p6p7p8s8sCCC??", []),
        ("2m3m4m5p6p7p8s8sCCC _ _ _ E", []),
    ],
)
def test_only_one_or_two_backs_apart_from_faces_are_stray(picture: str, stray: list[int]) -> None:
    ground = ground_of(detections(table(picture)))
    assert sorted(ground.ids[stray_backs(ground)]) == stray


@pytest.mark.parametrize("away", [(0, 260), (420, 0), (300, 300)])
def test_an_unsorted_hand_in_two_columns_is_read_without_a_stray_back(
    away: tuple[int, int],
) -> None:
    faces = table("4s9p2p9p5p3pWNF4s4p4s2s8pP")
    step, width = faces[1].x - faces[0].x, 1.35
    tiles = [
        replace(
            t,
            x=200 + (k // 8) * step * width + (k % 3 - 1) * step / 5,
            y=200 + (k % 8) * step + (k // 8) * step / 3,
            axis=0.0,
        )
        for k, t in enumerate(faces)
    ]
    back = replace(table("?")[0], x=200.0 + away[0], y=200.0 + away[1] + 8 * step, axis=0.0)
    hands = [arrange(detections(some), (1200, 1200)) for some in (tiles, [*tiles, back])]
    assert [sorted(hand.arrangements[0].tiles) for hand in hands] == [list(range(15))] * 2


@pytest.mark.parametrize("winning", [True, False])
def test_cloth_between_tiles_laid_apart_is_left_out_where_it_is_taken_for_backs(
    winning: bool,
) -> None:
    """As on photo ct_394: each tile is a segment, and so is each piece of cloth."""
    row = "1m2m3m4p5p6p7s8s9sEEECC" if winning else "1m6m7m1m2m1m8m3m7m4m5m1m4m6m"
    faces = [replace(t, x=2 * t.x) for t in table(row)]
    backs = [
        replace(table("?")[0], x=(faces[k].x + faces[k + 1].x) / 2, score=0.7, scale=0.8)
        for k in (3, 6, 8)
    ]
    layout = arrange(detections([*faces, *backs]), (2400, 800))
    assert sorted(layout.arrangements[0].tiles) == list(range(14))
