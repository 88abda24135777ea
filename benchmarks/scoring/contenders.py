"""Hands a second of sichuan-2024 and kc-2.5, beside the riichi package ``mahjong`` in the same run.

    python -m benchmarks.scoring.other_rules [--hands 2000] [--rounds 5]

The hands are those of `benchmarks.scoring.speed`. Sichuan gets the ones it can use: no honours, no claimed chows. All give the
whole answer, with clauses and reasons; the best of several rounds counts, the contenders take turns, processor time is measured.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Sequence

from mahjong.hand_calculating.hand import HandCalculator

from benchmarks.scoring.hands import Deal, deals
from benchmarks.scoring.speed import Contender, _riichi
from scoring import rules
from scoring.hand import Circumstances, Hand, MeldKind


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    sample = list(deals(seed=20261121, number=chosen.hands))
    best: dict[str, float] = {}
    contenders = _contenders(sample)
    for _ in range(chosen.rounds):
        for contender in contenders:
            start = time.process_time()
            contender.run()
            best[contender.name] = max(contender.hands / (time.process_time() - start), best.get(contender.name, 0.0))
    print(f"best of {chosen.rounds} rounds, Python {platform.python_version()}")
    for contender in contenders:
        speed = best[contender.name]
        print(f"{contender.name:14s} {contender.hands:6d} hands {speed:10,.0f} hands/s {speed / best['mahjong']:6.2f} of mahjong")


def _contenders(sample: Sequence[Deal]) -> list[Contender]:
    hands = [deal.hand for deal in sample]
    suited = [hand for hand in hands if _fits_sichuan(hand)]
    riichi = [prepared for deal in sample if (prepared := _riichi(deal)) is not None]
    calculator = HandCalculator()
    return [
        _contender("sichuan-2024", suited),
        _contender("kc-2.5", hands),
        Contender("mahjong", len(riichi), lambda: [calculator.estimate_hand_value(*one) for one in riichi]),
    ]


def _contender(id: str, hands: Sequence[Hand]) -> Contender:
    rule_set, plain = rules.get(id), Circumstances()
    return Contender(id, len(hands), lambda: [rule_set.score(hand, plain) for hand in hands])


def _fits_sichuan(hand: Hand) -> bool:
    return all(t.is_suited for t in hand.all_tiles) and all(meld.kind is not MeldKind.CHOW for meld in hand.melds)


if __name__ == "__main__":
    main()
