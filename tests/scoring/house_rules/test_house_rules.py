"""House rules: the examples of the docs, what each setting changes, and mistakes with their
lines.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hupai.scoring.hand import Circumstances
from hupai.scoring.house_rules import HouseRuleError, load_house_rules, parse_house_rules
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Principle, RuleSet, Score
from tests.shared import ROOT

HEAD = 'id = "house"\nbase = "{base}"\n'
DOC = ROOT / "docs" / "house-rules-sichuan-kc.md"


def house(base: str, text: str = "") -> RuleSet:
    return parse_house_rules(HEAD.format(base=base) + text)


def score(rules: RuleSet, hand: str, **flags: bool | int) -> Score:
    return rules.score(parse_hand(hand), Circumstances(**flags))  # type: ignore[arg-type]


def examples() -> list[str]:
    return re.findall(r"```toml\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_of_the_docs_are_rule_sets() -> None:
    sichuan, kc = (parse_house_rules(text) for text in examples())
    assert (sichuan.id, sichuan.name_zh) == ("sichuan-four-fan", "四川四番封顶")
    assert score(sichuan, "1122445577889m +9m").total == 16
    assert {line.zh for line in score(sichuan, "777m9m [111m] [333m] [555p] +9m").fans} == {
        "大对子",
        "金钩钓",
    }
    assert (kc.id, kc.name_en, kc.name_zh) == ("kc-sunday", "KC on Sundays", "kc-sunday")
    answer = score(kc, "113355m2244p66s9s +9s", last_tile=True, ready_declared=True)
    assert {line.zh: line.points for line in answer.fans} == {"七小对": 8, "报听": 2}
    assert [(e.zh, e.principle) for e in answer.excluded if e.principle is Principle.HOUSE] == [
        ("河底摸鱼", Principle.HOUSE)
    ]
    assert score(kc, "1122334455667p +7p", dealer=True).payments[0].amount == 384


def test_a_house_that_changes_nothing_scores_like_its_base() -> None:
    assert score(house("sichuan-2024"), "1122445577889m +9m").total == 8
    assert score(house("kc-2.5"), "1122445577889m +9m").total == 24
    assert house("mcr-1998").id == "house"


@pytest.mark.parametrize(
    ("text", "hand", "flags", "total", "receives"),
    [
        ("self_draw_points = 2\n", "123456789m22p56p +4p", {"self_drawn": True}, 1, 9),
        ('[points]\n"大对子" = 2\n', "777m99m88p [333m] [555p] +8p", {}, 4, 4),
        ('[off]\nfans = ["root"]\n', "1111335577m22p4p +4p", {}, 4, 4),
    ],
)
def test_sichuan_settings(
    text: str, hand: str, flags: dict[str, bool], total: int, receives: int
) -> None:
    answer = score(house("sichuan-2024", text), hand, **flags)
    assert (answer.rules, answer.total, answer.winner_receives) == ("house", total, receives)


def test_kc_minimum() -> None:
    rules = house("kc-2.5", "minimum = 4\n")
    assert rules.minimum == 4
    assert not score(rules, "456789m55p67s [123m] +8s").legal
    assert score(rules, "456789m55p67s [123m] +8s", self_drawn=True).legal


def test_a_pattern_switched_off_excludes_nothing() -> None:
    rules = house("kc-2.5", '[off]\nfans = ["连七对"]\n')
    answer = score(rules, "EESSWWNNCCFFP +P")
    assert {line.zh for line in answer.fans} == {"字一色", "七小对"}


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ('id = "x"\n', [(1, "base")]),
        ('id = "x"\nbase = "riichi"\n', [(2, "base")]),
        ('base = "kc-2.5"\n', [(1, "id")]),
        ('id = "kc-2.5"\nbase = "kc-2.5"\n', [(1, "id")]),
        ('id = "x"\nbase = "kc-2.5"\ncap = 3\n', [(3, "cap")]),
        ('id = "x"\nbase = "kc-2.5"\nminimum = "two"\n', [(3, "minimum")]),
        ('id = "x"\nbase = "kc-2.5"\nname_en = 5\n', [(3, "name_en")]),
        (
            'id = "x"\nbase = "kc-2.5"\n[points]\nstraight = 0\nstrait = 4\n',
            [(4, "straight"), (5, "strait")],
        ),
        (
            'id = "x"\nbase = "kc-2.5"\n[off]\nfans = [\n  "straight",\n  "moon",\n]\n',
            [(6, "fans")],
        ),
        ('id = "x"\nbase = "kc-2.5"\n[off]\nfan = []\n', [(4, "fan")]),
        ('id = "x"\nbase = "kc-2.5"\n[off]\nfans = "straight"\n', [(4, "fans")]),
        (
            'id = "x"\nbase = "sichuan-2024"\n[switches]\nready_declaration = true\n',
            [(4, "ready_declaration")],
        ),
        (
            'id = "x"\nbase = "sichuan-2024"\n[switches]\nany_single_wait = 1\n',
            [(4, "any_single_wait")],
        ),
        ('id = "x"\nbase = "sichuan-2024"\nswitches = 1\n', [(3, "switches")]),
        ('id = "x"\nbase = \n', [(2, "")]),
        (
            'id = "x"\nbase = "sichuan-2024"\ncap = 99\ncolour = "red"\n',
            [(3, "cap"), (4, "colour")],
        ),
    ],
)
def test_mistakes_name_their_lines(text: str, mistakes: list[tuple[int, str]]) -> None:
    with pytest.raises(HouseRuleError) as caught:
        parse_house_rules(text, "club.toml")
    assert [(m.line, m.key) for m in caught.value.mistakes] == mistakes
    assert all(line.startswith("club.toml, line ") for line in str(caught.value).splitlines())


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(HouseRuleError, match="did you mean 'straight'"):
        house("kc-2.5", "[points]\nstrait = 4\n")


def test_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text(examples()[0], encoding="utf-8")
    assert load_house_rules(path).id == "sichuan-four-fan"
    with pytest.raises(FileNotFoundError):
        load_house_rules(tmp_path / "none.toml")


def test_a_file_that_is_no_text_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_bytes(b'id = "club"\nname_zh = "\xbe\xe3"\n')
    with pytest.raises(HouseRuleError) as caught:
        load_house_rules(path)
    assert str(caught.value) == f"{path}, line 2: is not UTF-8 text; save the file as UTF-8"


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text(HEAD.format(base="kc-2.5"), encoding="utf-8-sig")
    assert load_house_rules(path).id == "house"


def test_many_names_are_not_listed_in_a_message() -> None:
    with pytest.raises(
        HouseRuleError,
        match=r"line 4: fans: '5' is no fan; docs/fans.md and docs/fans-sichuan-kc.md list "
        r"the names$",
    ):
        house("mcr-1998", "[off]\nfans = [5]\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[points]\nseven_pairs = 3\n"七对" = 5\n', ["same fan"]),
        ('[points]\n"七对" = 5\n[off]\nfans = ["seven_pairs"]\n', ["switched off"]),
        ('[off]\nfans = ["seven_pairs", "七对"]\n', ["same fan"]),
        ("cap = 4\n", ["cap", "below the minimum of 8"]),
        ("minimum = 20\ncap = 12\n", ["below the minimum of 20"]),
    ],
)
def test_contradictory_settings_are_refused(text: str, said: list[str]) -> None:
    with pytest.raises(HouseRuleError) as caught:
        house("mcr-1998", text)
    assert all(words in str(caught.value) for words in said)


@pytest.mark.parametrize(
    "own_id", ["../../etc", "/etc/passwd", "a/b", "a..b", ".hidden", "a b", "c:\\\\x"]
)
def test_an_id_is_a_name_and_no_path(own_id: str) -> None:
    with pytest.raises(HouseRuleError, match="must be a name"):
        parse_house_rules(f'id = "{own_id}"\nbase = "kc-2.5"\n')


def test_all_mistakes_are_reported_at_once_even_with_a_wrong_base() -> None:
    text = (
        'id = "a/b"\nbase = "mcr-1989"\nminimun = 4\n[points]\n"七堆" = 3\n[switches]\nfoo = true\n'
    )
    with pytest.raises(HouseRuleError) as caught:
        parse_house_rules(text)
    assert [mistake.line for mistake in caught.value.mistakes] == [1, 2, 3, 5, 7]
    assert "did you mean 'mcr-1998'?" in str(caught.value)
