"""Hands as text: the project's form, other programs' forms, and what is said of text that is
none.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.notation import (
    DIALECTS,
    NotationError,
    UnknownDialectError,
    convert,
    detect,
    format_hand,
    format_tiles,
    parse_hand,
    parse_tiles,
)
from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile

EXAMPLE = Hand(
    concealed=(Tile.M2, Tile.M3, Tile.P5, Tile.P5, Tile.EAST, Tile.EAST, Tile.EAST),
    melds=(
        Meld(MeldKind.CHOW, (Tile.M5, Tile.M6, Tile.M7), Source.LEFT),
        Meld(MeldKind.CONCEALED_KONG, (Tile.S9,) * 4),
    ),
    winning_tile=Tile.M1,
    flowers=(Tile.SPRING,),
)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_says_the_same_hand(dialect: str) -> None:
    form = DIALECTS[dialect]
    assert parse_hand(form.example, dialect) == form.simplify_hand(EXAMPLE)
    assert format_hand(EXAMPLE, dialect) == form.example


def test_the_marks_of_the_projects_own_form() -> None:
    hand = parse_hand("[EEE,2] [1111p+,3] [7777s] (NNNN) 5m+5m")
    assert [(meld.kind, meld.claimed_from) for meld in hand.melds] == [
        (MeldKind.PUNG, Source.ACROSS),
        (MeldKind.ADDED_KONG, Source.RIGHT),
        (MeldKind.KONG, None),
        (MeldKind.CONCEALED_KONG, None),
    ]
    assert hand.winning_tile is Tile.M5


def test_13_tiles_and_14_tiles_without_a_mark_have_no_winning_tile() -> None:
    assert parse_hand("123m456p789sEEESS").winning_tile is None
    assert parse_hand("123m456p789sEEESSS", "hupai").winning_tile is None


def test_calculators_number_their_kongs_otherwise() -> None:
    hand = parse_hand("[1111p][2222p,1][3333p,6][456s,2]5m5m", "mcr")
    assert [(meld.kind, meld.claimed_from) for meld in hand.melds] == [
        (MeldKind.CONCEALED_KONG, None),
        (MeldKind.KONG, Source.LEFT),
        (MeldKind.ADDED_KONG, Source.ACROSS),
        (MeldKind.CHOW, Source.LEFT),
    ]
    assert (hand.concealed, hand.winning_tile) == ((Tile.M5,), Tile.M5)


def test_riichi_digits_are_winds_and_dragons_and_red_fives() -> None:
    assert parse_tiles("1234567z0m", "riichi") == parse_tiles("ESWNPFC5m")
    assert convert("11z05p+5p", "riichi", "hupai") == "EE05p +5p"


@pytest.mark.parametrize("text", ["05m [067m,1] [0555p+,2] (0555s) +5m", "5m00p +0s"])
@pytest.mark.parametrize("dialect", ["hupai", "riichi", "cases"])
def test_a_red_five_is_a_five_with_an_attribute(text: str, dialect: str) -> None:
    hand = parse_hand(text)
    form = DIALECTS[dialect]
    assert hand.all_tiles == parse_hand(text.replace("0", "5")).all_tiles
    assert len(hand.all_red_fives) == text.count("0")
    assert parse_hand(format_hand(hand, dialect), dialect) == form.simplify_hand(hand)


def test_a_form_without_red_fives_writes_them_as_fives() -> None:
    assert convert("05m [067m,1] +5m", "hupai", "unicode") == "🀋🀋 [🀋🀌🀍,1] +🀋"


def test_illegal_hands_are_read_as_written() -> None:
    assert parse_hand("[135m] 55555p").melds[0].tiles == (Tile.M1, Tile.M3, Tile.M5)


@pytest.mark.parametrize(
    ("text", "position", "part_of_advice"),
    [
        ("123", 0, "digits and then their suit"),
        ("123m 4x", 5, "digits and then their suit"),
        ("19h", 1, "from 1 to 8"),
        ("10h", 1, "runs from 1 to 8"),
        ("[123m", 0, "end the set with ]"),
        ("12m [", 4, "end the set with ]"),
        ("[123m+]", 5, "four equal tiles"),
        ("[123m,4]", 5, ",1 left"),
        ("55m +", 4, "as in +5m"),
        ("5m +12m", 4, "one tile after +"),
        ("+5m +5m", 4, "one tile with +"),
        ("1h", 0, "write a hand"),
    ],
)
def test_errors_name_the_mistake_and_its_position(
    text: str, position: int, part_of_advice: str
) -> None:
    with pytest.raises(NotationError) as caught:
        parse_hand(text, "hupai")
    assert caught.value.position == position
    assert part_of_advice in caught.value.advice
    assert f"character {position + 1}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "dialect", "position"),
    [
        ("CHI:W1,1 W5 +W5", "mahjonggb", 4),
        ("PON:W1,1 W5", "mahjonggb", 0),
        ("W5 X1", "mahjonggb", 3),
        ("pair:55m 5m", "cases", 0),
        ("🀇a", "unicode", 1),
    ],
)
def test_other_dialects_name_the_place_as_well(text: str, dialect: str, position: int) -> None:
    with pytest.raises(NotationError) as caught:
        parse_hand(text, dialect)
    assert caught.value.position == position


def test_an_unknown_dialect_or_one_that_cannot_express_the_hand() -> None:
    with pytest.raises(UnknownDialectError, match="use hupai, riichi"):
        parse_hand("1m", "tenhou")
    with pytest.raises(NotationError, match="13 tiles and the winning tile"):
        format_hand(Hand((Tile.M1,) * 14), "mcr")


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("123m11z", "riichi"),
        ("F22s+2s", "hupai"),
        ("F1F1 +W1", "mahjonggb"),
        ("🀀", "unicode"),
        ("1m pung:EEE", "cases"),
    ],
)
def test_dialects_are_recognised(text: str, dialect: str) -> None:
    assert detect(text) == dialect


tiles = st.sampled_from(PLAYABLE)
sources = st.sampled_from([None, *Source])


@st.composite
def melds(draw: st.DrawFn) -> Meld:
    kind = draw(st.sampled_from(MeldKind))
    if kind is MeldKind.CHOW:
        first = draw(
            st.sampled_from([tile for tile in PLAYABLE if tile.is_suited and tile.rank < 8])
        )
        return Meld(kind, (first, Tile(first + 1), Tile(first + 2)), draw(sources))
    tile = draw(tiles)
    concealed = kind is MeldKind.CONCEALED_KONG
    return Meld(
        kind, (tile,) * (3 if kind is MeldKind.PUNG else 4), None if concealed else draw(sources)
    )


@st.composite
def hands(draw: st.DrawFn) -> Hand:
    """Hands of 14 with a winning tile, tiles and melds as they come."""
    exposed = draw(st.lists(melds(), max_size=4))
    size = 13 - 3 * len(exposed)
    concealed = draw(st.lists(tiles, min_size=size, max_size=size))
    flowers = draw(st.lists(st.sampled_from(FLOWERS), max_size=3))
    return Hand(tuple(concealed), tuple(exposed), draw(tiles), tuple(flowers))


@given(hands(), st.sampled_from(sorted(DIALECTS)))
def test_notation_round_trips(hand: Hand, dialect: str) -> None:
    form = DIALECTS[dialect]
    assert parse_hand(format_hand(hand, dialect), dialect) == form.simplify_hand(hand)


@given(hands())
def test_the_projects_own_form_loses_nothing_and_is_recognised(hand: Hand) -> None:
    assert parse_hand(format_hand(hand)) == hand


@given(st.lists(st.sampled_from(Tile), min_size=1), st.sampled_from(sorted(DIALECTS)))
def test_rows_of_tiles_are_read_back(row: list[Tile], dialect: str) -> None:
    assert parse_tiles(format_tiles(row, dialect), dialect) == tuple(row)
