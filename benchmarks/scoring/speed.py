"""Hands a second: this engine, PyMahjongGB (C++) and the riichi package ``mahjong``, in one run on the same hands.

    python -m benchmarks.scoring.speed [--hands 2000] [--rounds 5] [--json FILE]

Every calculator gets the hands in its own types, made beforehand. The best of several rounds counts, and the calculators take
turns, so that a slow minute of the machine hits all of them alike; processor time is measured, not the clock on the wall.
``mahjong`` counts riichi yaku: it is given the same tiles, without the hands whose shape riichi does not have.

Of this engine, `score` gives the whole answer with clauses, reasons and the runner-up; `total` one hand's total; `totals` many
hands in one call. *Cold* is the first pass over hands never seen, after as many others.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig
from mahjong.meld import Meld as RiichiMeld
from MahjongGB import MahjongFanCalculator

from benchmarks.scoring.hands import Deal, deals
from benchmarks.scoring.pymahjonggb import arguments
from scoring.hand import Circumstances, Hand, MeldKind
from scoring.mcr.profiles import MCR_1998
from scoring.mcr.rules import McrRules
from scoring.tiles import Tile


@dataclass(frozen=True, slots=True)
class Contender:
    """A calculator with its input prepared; `run` goes once over all of `hands` hands."""

    name: str
    hands: int
    run: Callable[[], object]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments_ = parser.parse_args()
    sample = list(deals(seed=20261121, number=arguments_.hands))
    cold = {
        "hupai total, cold": _cold(len(sample), arguments_.rounds, McrRules.total),
        "hupai score, cold": _cold(len(sample), arguments_.rounds, McrRules.score),
    }
    speeds = measure(sample, arguments_.rounds) | cold
    print(f"{len(sample)} hands, best of {arguments_.rounds} rounds, Python {platform.python_version()}")
    for name, speed in speeds.items():
        print(f"{name:32s} {speed:10,.0f} hands/s")
    print(f"hupai total / mahjong            {speeds['hupai total'] / speeds['mahjong']:10.2f}")
    print(f"hupai score / mahjong            {speeds['hupai score'] / speeds['mahjong']:10.2f}")
    print(f"hupai totals / PyMahjongGB       {speeds['hupai totals'] / speeds['PyMahjongGB']:10.3f}")
    if arguments_.json:
        arguments_.json.write_text(json.dumps(speeds, indent=2) + "\n", encoding="utf-8")


def measure(sample: Sequence[Deal], rounds: int) -> dict[str, float]:
    """Hands a second of each contender, the best of several rounds in turn."""
    best: dict[str, float] = {}
    contenders = _contenders(sample)
    for _ in range(rounds):
        for contender in contenders:
            start = time.process_time()
            contender.run()
            speed = contender.hands / (time.process_time() - start)
            best[contender.name] = max(speed, best.get(contender.name, 0.0))
    return best


def _contenders(sample: Sequence[Deal]) -> list[Contender]:
    rules = McrRules(MCR_1998)
    pairs = [(deal.hand, deal.circumstances) for deal in sample]
    packed = [arguments(deal) for deal in sample]
    riichi = [_riichi(deal) for deal in sample]
    known = [prepared for prepared in riichi if prepared is not None]
    calculator = HandCalculator()
    return [
        Contender("hupai score", len(pairs), lambda: _each(rules.score, pairs)),
        Contender("hupai total", len(pairs), lambda: _each(rules.total, pairs)),
        Contender("hupai totals", len(pairs), lambda: rules.totals(pairs)),
        Contender("PyMahjongGB", len(packed), lambda: _each(MahjongFanCalculator, packed)),
        Contender("mahjong", len(known), lambda: _each(calculator.estimate_hand_value, known)),
    ]


def _each(ask: Callable[..., object], hands: Sequence[tuple[object, ...]]) -> None:
    """Ask once for each hand and keep no answer."""
    for hand in hands:
        ask(*hand)


def _cold(number: int, rounds: int, ask: Callable[[McrRules, Hand, Circumstances], object]) -> float:
    """Speed on hands that were never seen, after a new rule set has seen as many others; new hands in each round."""
    best = 0.0
    for turn in range(rounds):
        rules = McrRules(MCR_1998)
        warming, fresh = (list(deals(seed=1000 + 2 * turn + half, number=number)) for half in (0, 1))
        for deal in warming:
            ask(rules, deal.hand, deal.circumstances)
        start = time.process_time()
        for deal in fresh:
            ask(rules, deal.hand, deal.circumstances)
        best = max(best, number / (time.process_time() - start))
    return best


RiichiArguments = tuple[list[int], int, list[RiichiMeld], list[int], HandConfig]


def _riichi(deal: Deal) -> RiichiArguments | None:
    """A deal as `HandCalculator.estimate_hand_value` takes it; None for the shapes riichi has not."""
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
        kind = RiichiMeld.CHI if meld.kind is MeldKind.CHOW else RiichiMeld.KAN if meld.is_kong else RiichiMeld.PON
        melds.append(RiichiMeld(kind, own, opened=not meld.is_concealed))
    assert hand.winning_tile is not None
    tiles += [take(tile) for tile in hand.concealed]
    winning = take(hand.winning_tile)
    arguments_: RiichiArguments = ([*tiles, winning], winning, melds, [], HandConfig(is_tsumo=deal.circumstances.self_drawn))
    answer = HandCalculator().estimate_hand_value(*arguments_)
    return None if answer.error == "hand_not_winning" else arguments_


def _riichi_kind(tile: Tile) -> int:
    """Index of a tile in riichi's order: characters, dots, bamboo, winds, white, green, red."""
    return 64 - tile if tile > Tile.NORTH else int(tile)


if __name__ == "__main__":
    main()
