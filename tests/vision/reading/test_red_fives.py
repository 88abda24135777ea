"""A red five is marked in the group of the hand in which it was seen."""

from __future__ import annotations

from hupai.scoring.hand import Source
from hupai.scoring.notation import format_hand, parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.reading.red_fives import with_red_fives
from hupai.vision.types import Group, GroupKind, ReadTile

BOX = (0.0, 0.0, 10.0, 14.0)


def tiles(group: int, first: int, codes: str, red: set[int]) -> list[ReadTile]:
    faces = [Tile.from_code(codes[i : i + 2]) for i in range(0, len(codes), 2)]
    return [
        ReadTile(first + i, face, BOX, 0.99, group=group, red=first + i in red)
        for i, face in enumerate(faces)
    ]


def marked(text: str, red: set[int]) -> str:
    read = [*tiles(0, 0, "5m5m", red), *tiles(1, 2, "5m6m7m", red), *tiles(2, 5, "5p5p5p5p", red)]
    groups = (
        Group(0, GroupKind.CONCEALED, (0, 1)),
        Group(1, GroupKind.CHOW, (2, 3, 4), Source.LEFT),
        Group(2, GroupKind.ADDED_KONG, (5, 6, 7, 8)),
    )
    return format_hand(with_red_fives(parse_hand(text), read, groups))


def test_each_red_five_stands_where_it_lies() -> None:
    text = "55m [567m,1] [5555p+]"
    assert marked(text, set()) == text
    assert marked(text, {1}) == "05m [567m,1] [5555p+]"
    assert marked(text, {2, 7}) == "55m [067m,1] [0555p+]"


def test_another_hand_has_only_the_red_fives_it_can_have() -> None:
    assert marked("55m [678m,1] [5555p+]", {2, 7}) == "05m [678m,1] [0555p+]"
    assert marked("44m [678m,1] [5555s+]", {1, 7}) == "44m [678m,1] [5555s+]"


def test_a_red_five_stays_in_the_hand_whatever_its_meld_is() -> None:
    assert marked("55m [567m,1] (5555p)", {7}) == "55m [567m,1] (0555p)"
    assert marked("55m [567m,1] [456p,1]", {7}) == "55m [567m,1] [406p,1]"
    assert marked("44m [567m,1] [555p,2]", {0, 7}) == "44m [067m,1] [055p,2]"
