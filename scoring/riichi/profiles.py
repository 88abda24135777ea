"""The profiles of riichi: options as data, each with the document that it comes from.

Section numbers are given where a printed edition is known to have them; an option with a bare
document follows it as it is generally published. docs/rulings-riichi.md says what the library
cannot express, and which options differ between editions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class HumanWin(Enum):
    """What a win on a discard before the first draw (人和, renhou) is worth."""

    NOT_USED = "not_used"
    MANGAN = "mangan"
    """A mangan by itself, whatever else the hand has; a hand worth more without it takes that."""
    FIVE_HAN = "five_han"
    """Five han, added to the other yaku and dora."""


@dataclass(frozen=True, slots=True)
class Placing:
    """How a game's points become its result, in points.

    Attributes:
        start: each player's points at the beginning.
        return_points: subtracted from the points at the end; what it exceeds `start` by goes to
            the first place (oka).
        uma: by place, where it does not depend on who is above `return_points`.
        uma_by_floating: by place, for one, two and three players at or above `return_points`;
            empty if `uma` always holds.
        shared: equal points share the uma of their places; else who sat earlier is ahead.
    """

    start: int
    return_points: int
    uma: tuple[int, int, int, int]
    uma_by_floating: tuple[tuple[int, int, int, int], ...] = ()
    shared: bool = True


@dataclass(frozen=True, slots=True)
class RiichiOptions:
    """What profiles and houses play differently.

    Attributes:
        open_tanyao: all simples counts for an open hand (喰いタン).
        ippatsu: winning within a turn of the riichi counts (一発).
        ura_dora: a riichi uncovers the indicators below (裏ドラ).
        kan_dora: each kong turns a further indicator (槓ドラ).
        red_fives: red fives in the set, of characters, dots and bamboo; (0, 0, 0) for none.
        rounded_mangan: 4 han 30 fu and 3 han 60 fu are a mangan (切り上げ満貫).
        counted_yakuman: 13 han without a yakuman are one (数え役満); else they are a sanbaiman.
        yakuman_add_up: several yakuman in one hand count together.
        double_yakuman: four concealed pungs on a pair wait, nine gates on nine waits, thirteen
            orphans on thirteen waits, and big four winds count double.
        double_wind_pair_fu: fu of a pair of the wind that is seat and round wind at once: 2 or 4.
        human_win: what renhou is worth.
        several_ron: two or three players may win on one discard; else the next in turn does.
        placing: how a game ends.
        han: yaku (by id) that the house values otherwise, with the han of a closed hand.
        off: ids of yaku that do not count.
    """

    open_tanyao: bool = True
    ippatsu: bool = True
    ura_dora: bool = True
    kan_dora: bool = True
    red_fives: tuple[int, int, int] = (0, 0, 0)
    rounded_mangan: bool = False
    counted_yakuman: bool = False
    yakuman_add_up: bool = False
    double_yakuman: bool = False
    double_wind_pair_fu: int = 4
    human_win: HumanWin = HumanWin.NOT_USED
    several_ron: bool = True
    placing: Placing = Placing(30_000, 30_000, (15_000, 5_000, -5_000, -15_000))
    han: tuple[tuple[str, int], ...] = ()
    off: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """One published set of riichi rules.

    Attributes:
        id: id of the rule set.
        name_en, name_zh: its names.
        document: what it follows.
        options: its options.
        sources: for each option, by name, where it comes from.
        yaku_clause: where the document lists the yaku.
        points_clause: where it says how points follow from han and fu.
    """

    id: str
    name_en: str
    name_zh: str
    document: str
    options: RiichiOptions
    sources: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    yaku_clause: str = ""
    points_clause: str = ""


EMA = Profile(
    id="riichi-ema",
    name_en="Riichi, European rules (EMA)",
    name_zh="立直麻将，欧洲规则（EMA）",
    document="EMA, Riichi: Rules for Japanese Mahjong, 2016 edition",
    options=RiichiOptions(human_win=HumanWin.MANGAN),
    sources=(
        ("open_tanyao", "EMA 2016, 4.2.1 One fan yaku: open hands allowed since this edition"),
        ("ippatsu", "EMA 2016, 4.2.1 One fan yaku"),
        ("ura_dora", "EMA 2016, as generally published"),
        ("kan_dora", "EMA 2016, as generally published"),
        ("red_fives", "EMA 2016: no red fives since this edition"),
        ("rounded_mangan", "EMA 2016, as generally published: not rounded"),
        ("counted_yakuman", "EMA 2016, as generally published: none, a sanbaiman"),
        ("yakuman_add_up", "EMA 2016, 4.2.5 Yakuman: one yakuman is the most"),
        ("double_yakuman", "EMA 2016, 4.2.5 Yakuman: one yakuman is the most"),
        (
            "double_wind_pair_fu",
            "EMA 2016, as generally published: 2 for each wind (sources differ)",
        ),
        ("human_win", "EMA 2016, 4.2.4 Five fan yaku: a mangan only, not added to others"),
        ("several_ron", "EMA 2016, as generally published: each winner is paid"),
        ("placing", "EMA 2016, 3.6.1 Winner bonus"),
    ),
    yaku_clause="EMA 2016, 4.2 Yaku overview",
    points_clause="EMA 2016, 4.1.2 Exact calculation of the hand value",
)

WRC = Profile(
    id="riichi-wrc",
    name_en="Riichi, World Riichi Championship rules",
    name_zh="立直麻将，世界立直麻将锦标赛规则（WRC）",
    document="World Riichi Championship Rules, rule book 2015",
    options=RiichiOptions(rounded_mangan=True, double_wind_pair_fu=2, human_win=HumanWin.FIVE_HAN),
    sources=(
        ("open_tanyao", "WRC 2015, 6.5.1 One han yaku: open hands allowed"),
        ("ippatsu", "WRC 2015, 6.5.1 One han yaku"),
        ("ura_dora", "WRC 2015, 6.4 Dora"),
        ("kan_dora", "WRC 2015, 6.4 Dora"),
        ("red_fives", "WRC 2015, as generally published: none"),
        ("rounded_mangan", "WRC 2015, 6.1: a base value of 1,920 is rounded up to 2,000"),
        ("counted_yakuman", "WRC 2015, 6.1: no counted yakuman; 11 han and more are a sanbaiman"),
        ("yakuman_add_up", "WRC 2015, 6.5.6 Yakuman yaku: a single yakuman is the most"),
        ("double_yakuman", "WRC 2015, 6.5.6 Yakuman yaku: every one is single"),
        ("double_wind_pair_fu", "WRC, 6.3 Minipoints, as published from 2022 (editions differ)"),
        ("human_win", "WRC 2015, 6.5.4 Mangan yaku; with other yaku and dora (errata of 2014)"),
        ("several_ron", "WRC 2015, as generally published (from 2025: the next in turn alone)"),
        ("placing", "WRC 2015, 5.9.2 Hanchan score and uma"),
    ),
    yaku_clause="WRC 2015, 6.5 Yaku list",
    points_clause="WRC 2015, 6.1 Scoring a winning hand",
)

JPML_A = Profile(
    id="riichi-jpml-a",
    name_en="Riichi, Japan Professional Mahjong League, A rules",
    name_zh="立直麻将，日本职业麻将联盟 A 规则",
    document="日本プロ麻雀連盟 競技ルール (A rules)",
    options=RiichiOptions(
        ippatsu=False,
        ura_dora=False,
        kan_dora=False,
        double_wind_pair_fu=2,
        human_win=HumanWin.MANGAN,
        several_ron=False,
        placing=Placing(
            30_000,
            30_000,
            (8_000, 4_000, -4_000, -8_000),
            (
                (12_000, -1_000, -3_000, -8_000),
                (8_000, 4_000, -4_000, -8_000),
                (8_000, 3_000, 1_000, -12_000),
            ),
        ),
    ),
    sources=(
        ("open_tanyao", "JPML, competition rules, as generally published"),
        ("ippatsu", "JPML, competition rules: not in the A rules"),
        ("ura_dora", "JPML, competition rules: not in the A rules"),
        ("kan_dora", "JPML, competition rules: not in the A rules"),
        ("red_fives", "JPML, competition rules: none"),
        ("rounded_mangan", "JPML, competition rules, as generally published: not rounded"),
        ("counted_yakuman", "JPML, competition rules: none; sanbaiman is the most"),
        ("yakuman_add_up", "JPML, competition rules: none"),
        ("double_yakuman", "JPML, competition rules: none"),
        ("double_wind_pair_fu", "JPML, competition rules, as published from 2023 (before: 4)"),
        ("human_win", "JPML, competition rules, list of yaku: 特役（満貫） 人和"),
        ("several_ron", "JPML, competition rules, as generally published: the next in turn"),
        ("placing", "JPML, competition rules: 30,000 points, places by who is above them"),
    ),
    yaku_clause="JPML, competition rules, 組み合わせによる和了点",
    points_clause="JPML, competition rules",
)

ONLINE = Profile(
    id="riichi-online",
    name_en="Riichi, as the large servers play",
    name_zh="立直麻将，网络平台通行规则",
    document="Rules of the servers Tenhou and Mahjong Soul, four players, as generally published",
    options=RiichiOptions(
        red_fives=(1, 1, 1),
        counted_yakuman=True,
        yakuman_add_up=True,
        placing=Placing(25_000, 30_000, (20_000, 10_000, -10_000, -20_000), shared=False),
    ),
    sources=(
        ("open_tanyao", "Tenhou and Mahjong Soul: 喰断あり"),
        ("ippatsu", "Tenhou and Mahjong Soul"),
        ("ura_dora", "Tenhou and Mahjong Soul"),
        ("kan_dora", "Tenhou and Mahjong Soul"),
        ("red_fives", "Tenhou and Mahjong Soul: one of each suit (赤)"),
        ("rounded_mangan", "Tenhou and Mahjong Soul: not rounded"),
        ("counted_yakuman", "Tenhou and Mahjong Soul: 数え役満あり"),
        ("yakuman_add_up", "Tenhou and Mahjong Soul"),
        ("double_yakuman", "Tenhou: none (Mahjong Soul counts four of them double)"),
        ("double_wind_pair_fu", "Tenhou and Mahjong Soul: 4 fu"),
        ("human_win", "Tenhou and Mahjong Soul: not used"),
        ("several_ron", "Tenhou and Mahjong Soul (three winners end the deal on Tenhou)"),
        ("placing", "Tenhou: 25,000 points, 30,000 returned, 10-20"),
    ),
    yaku_clause="Tenhou and Mahjong Soul, list of yaku",
    points_clause="Tenhou and Mahjong Soul, points",
)

PROFILES: tuple[Profile, ...] = (EMA, WRC, JPML_A, ONLINE)
"""Every profile."""
