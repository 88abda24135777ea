"""The calculators that `benchmarks.scoring.speed` times, each with its input prepared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig
from mahjong.meld import Meld as RiichiMeld
from MahjongGB import MahjongFanCalculator

from benchmarks.scoring.hands import Deal
from benchmarks.scoring.pymahjonggb import arguments
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances, MeldKind
from hupai.scoring.mcr.rules import rules_by_id
from hupai.scoring.result import Score
from hupai.scoring.tiles import Tile


@dataclass(frozen=True, slots=True)
class Task:
    """A number of hands, and a function that scores them all."""

    hands: int
    run: Callable[[], object]


Prepare = Callable[[Sequence[Deal]], Task]


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to score hands with this project.

    Attributes:
        name: name in the table.
        prepare: creates a task from hands.
        suits_only: whether it gets only hands without honours and claimed chows.
        batch: whether it is compared with PyMahjongGB; others are compared with `mahjong`.
    """

    name: str
    prepare: Prepare
    suits_only: bool = False
    batch: bool = False


def contenders() -> tuple[Contender, ...]:
    """List all contenders in the order of the table."""
    mcr = rules_by_id("mcr-1998")
    found = [
        Contender("mcr-1998 total", lambda deals: _each(deals, mcr.total)),
        Contender(
            "mcr-1998 totals (batch)", lambda deals: Task(len(deals), _batch(deals)), batch=True
        ),
    ]
    for rules_id in ("mcr-1998", "mcr-2006", "mcr-handbook", "sichuan-2024", "kc-2.5"):
        found += [_scoring(rules_id, everything=False), _scoring(rules_id, everything=True)]
    return tuple(found)


def _scoring(rules_id: str, everything: bool) -> Contender:
    score = rule_sets.get(rules_id).score
    ask: Callable[..., object] = (
        (lambda hand, won: _read(score(hand, won))) if everything else score
    )
    # Sichuan and KC have other flags; those of the hands made for MCR would only add notes.
    won = None if rules_id.startswith("mcr") else Circumstances()
    name = f"{rules_id} score" + (" and its reasons" if everything else "")
    return Contender(
        name, lambda deals: _each(deals, ask, won), suits_only=rules_id == "sichuan-2024"
    )


def _each(
    deals: Sequence[Deal], ask: Callable[..., object], won: Circumstances | None = None
) -> Task:
    pairs = [(deal.hand, won or deal.circumstances) for deal in deals]

    def run() -> None:
        for hand, circumstances in pairs:
            ask(hand, circumstances)

    return Task(len(pairs), run)


def _batch(deals: Sequence[Deal]) -> Callable[[], object]:
    pairs = [(deal.hand, deal.circumstances) for deal in deals]
    totals = rules_by_id("mcr-1998").totals
    return lambda: totals(pairs)


def _read(score: Score) -> object:
    """Access every part of a score, so that lazy parts are computed."""
    counted = [(line.why_en, line.why_zh, line.parts) for line in score.fans]
    excluded_candidates = [(line.reason_en, line.reason_zh) for line in score.excluded]
    return counted, excluded_candidates, score.split, score.runner_up and score.runner_up.fans


def mahjong(deals: Sequence[Deal]) -> Task:
    """Set up the riichi package `mahjong`, on those hands that riichi has."""
    known = [prepared for deal in deals if (prepared := _riichi(deal)) is not None]
    calculator = HandCalculator()

    def run() -> None:
        for one in known:
            calculator.estimate_hand_value(*one)

    return Task(len(known), run)


def pymahjonggb(deals: Sequence[Deal]) -> Task:
    """Set up PyMahjongGB, which is C++."""
    packed = [arguments(deal) for deal in deals]

    def run() -> None:
        for one in packed:
            MahjongFanCalculator(*one)

    return Task(len(packed), run)


def fits_sichuan(deal: Deal) -> bool:
    """Return whether a hand has suited tiles only and no claimed chow."""
    return all(t.is_suited for t in deal.hand.all_tiles) and all(
        meld.kind is not MeldKind.CHOW for meld in deal.hand.melds
    )


RiichiArguments = tuple[list[int], int, list[RiichiMeld], list[int], HandConfig]


def _riichi(deal: Deal) -> RiichiArguments | None:
    """Convert a deal for `HandCalculator.estimate_hand_value`; None for shapes riichi lacks."""
    used = [0] * 34
    hand = deal.hand

    def take(tile: Tile) -> int:
        kind = _riichi_kind(tile)
        used[kind] += 1
        return 4 * kind + used[kind] - 1

    melds = []
    tiles: list[int] = []
    for meld in hand.melds:
        own = [take(tile) for tile in meld.tiles]
        tiles += own
        kind = (
            RiichiMeld.CHI
            if meld.kind is MeldKind.CHOW
            else RiichiMeld.KAN
            if meld.is_kong
            else RiichiMeld.PON
        )
        melds.append(RiichiMeld(kind, own, opened=not meld.is_concealed))
    assert hand.winning_tile is not None
    tiles += [take(tile) for tile in hand.concealed]
    winning = take(hand.winning_tile)
    arguments_: RiichiArguments = (
        [*tiles, winning],
        winning,
        melds,
        [],
        HandConfig(is_tsumo=deal.circumstances.self_drawn),
    )
    answer = HandCalculator().estimate_hand_value(*arguments_)
    return None if answer.error == "hand_not_winning" else arguments_


def _riichi_kind(tile: Tile) -> int:
    """Return the index of a tile in riichi's order: m, p, s, winds, white, green, red."""
    return 64 - tile if tile > Tile.NORTH else int(tile)
