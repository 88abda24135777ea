"""Hands typed in Chinese, alone and mixed with the codes."""

from __future__ import annotations

import pytest
from hypothesis import given

from hupai.scoring.cases.fields import tile_run
from hupai.scoring.hand import Hand
from hupai.scoring.notation import NotationError, parse_hand, parse_tiles
from hupai.scoring.tiles import ZH_NAMES, Tile
from tests.scoring.hands import won_hands


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("东东东 一二三万 四饼四饼 567条 [八八八万] +1m", "EEE123m44p567s[888m]+1m"),
        ("1万2万3万 EEE 五饼 [678s,1] +五饼", "1m2m3mEEE5p[678s,1]+5p"),
        ("東東東一二三萬四筒四筒五六七索【八八八万，１】和1万", "EEE123m44p567s[888m,1]+1m"),
        ("红中红中红中发财发财发财白板白板白板东风东风一二万 +三万", "CCCFFFPPPEE12m+3m"),
        ("（九九九九条） 123456m 11p 78s 春 兰 胡9条", "(9999s)123456m11p78s1h6h+9s"),
        ("🀇🀈🀉 EEE 44p 567s 888m +4p", "123mEEE44p567s888m+4p"),
        ("123m EE 11z 44p 567s 88m +8m", "123mEEEE44p567s88m+8m"),
        ("E1z 7zC5z", "EECCP"),
        ("１２３ｍＥＥＥ４４ｐ（９９９９ｓ）８８ｍ　＋８ｍ", "123mEEE44p(9999s)88m+8m"),
        ("〔四五六万，２〕幺鸡幺鸡１１ｚ０ｐ", "[456m,2]1s1sEE0p"),
    ],
)
def test_chinese_names_and_mixtures(text: str, codes: str) -> None:
    assert parse_hand(text) == parse_hand(codes)


@given(won_hands())
def test_every_hand_can_be_typed_in_chinese(hand: Hand) -> None:
    names = "".join(ZH_NAMES[tile] for tile in hand.concealed)
    typed = parse_hand(f"{names}+{ZH_NAMES[hand.winning_tile or Tile.M1]}")
    assert (typed.concealed, typed.winning_tile) == (hand.concealed, hand.winning_tile)


def test_an_error_names_the_place_in_what_was_typed() -> None:
    text = "东东东 一二三万 四饼四 [八八八万] +1m"
    with pytest.raises(NotationError) as caught:
        parse_hand(text)
    assert text[caught.value.position] == "四"
    assert "'四' has no suit" in str(caught.value)


def test_rows_of_tiles_and_fields_of_cases_take_chinese_names() -> None:
    assert parse_tiles("四万 东") == (Tile.M4, Tile.EAST)
    assert tile_run("四万", "tile") == (Tile.M4,)


@pytest.mark.parametrize("text", ["23m55pEEE[567m,1](9999s)1h+1m", "W1W2W3", "123m+?"])
def test_codes_alone_are_read_as_before(text: str) -> None:
    assert parse_hand(text) == parse_hand(text, "auto")
