"""Compares totals with PyMahjongGB on generated hands, and explains each class of difference.

    python -m benchmarks.scoring.agreement [--hands 24000] [--seed 1] [--out FILE]

Half of the hands are drawn as for the speed benchmark, the other half with many irregular shapes
and with flowers. A second part asks both calculators about input that a rule text forbids, because
there they differ by design.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from benchmarks.scoring.hands import Deal, deals
from benchmarks.scoring.pymahjonggb import Answer, ask
from hupai.scoring.hand import Circumstances
from hupai.scoring.mcr.rules import McrRules, rules_by_id
from hupai.scoring.notation import format_hand, parse_hand
from hupai.scoring.result import Score


@dataclass(frozen=True, slots=True)
class Class:
    """A class of difference: how to recognise it, and the text that settles it."""

    name: str
    settled_by: str
    applies: Callable[[Deal, Score, Answer], bool]


CLASSES = (
    Class(
        "last of its kind against the hand",
        "1998 row 58: the other three lie open; here the hand holds one of them",
        lambda deal, _score, _answer: (
            deal.circumstances.last_of_kind and deal.hand.winning_tile in deal.hand.concealed
        ),
    ),
    Class(
        "five of a tile",
        "2006, 3.5.5: four of each tile",
        lambda deal, _score, _answer: max(Counter(deal.hand.all_tiles).values()) > 4,
    ),
    Class(
        "robbing a kong contradicts the hand or the last tile",
        "1998 row 47 and the article on kongs",
        lambda deal, _score, _answer: deal.circumstances.robbing_kong,
    ),
)

FORBIDDEN = (
    ("11123456789m11p +1p", Circumstances(last_of_kind=True)),
    ("1111234m567p789s +1m", Circumstances()),
    ("22345m345p34555s +5s", Circumstances(robbing_kong=True)),
)


def main() -> None:
    """Compare and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=24000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    report = "\n".join(_report(given.hands, given.seed)) + "\n"
    print(report, end="")
    if given.out:
        given.out.write_text(report, encoding="utf-8")


def _report(number: int, seed: int) -> Iterator[str]:
    rules = rules_by_id("mcr-1998")
    sample = chain(
        deals(seed, number // 2),
        map(_with_flowers, enumerate(deals(seed + 1, number - number // 2, irregular=0.4))),
    )
    same = lists = 0
    classes: Counter[str] = Counter()
    fans: Counter[str] = Counter()
    shown: list[str] = []
    for deal in sample:
        score, answer = rules.score(deal.hand, deal.circumstances), ask(deal)
        fans.update(line.zh for line in score.fans)
        if score.total == answer.total:
            same += 1
            lists += {line.zh: line.count for line in score.fans} == answer.fans
            continue
        name = _class(deal, score, answer)
        classes[name] += 1
        if name == "not explained":
            shown.append(_difference(deal, score, answer))
    yield (
        f"{number} hands, seed {seed}: {same} totals agree, {number - same} differ; "
        f"{lists} fan lists are the same as well"
    )
    yield f"{len(fans)} fan occur, the rarest: " + ", ".join(
        f"{zh} {times}" for zh, times in fans.most_common()[:-7:-1]
    )
    for name, times in classes.most_common():
        yield f"  {times:6d}  {name}"
    yield from shown[:20]
    yield ""
    yield "Input that a text forbids:"
    for text, circumstances in FORBIDDEN:
        yield from _forbidden(rules, Deal(parse_hand(text), circumstances))


def _with_flowers(numbered: tuple[int, Deal]) -> Deal:
    number, deal = numbered
    return replace(deal, circumstances=replace(deal.circumstances, flowers=number % 9))


def _class(deal: Deal, score: Score, answer: Answer) -> str:
    return next(
        (kind.name for kind in CLASSES if kind.applies(deal, score, answer)), "not explained"
    )


def _difference(deal: Deal, score: Score, answer: Answer) -> str:
    ours = ", ".join(f"{line.zh} x{line.count}" for line in score.fans)
    theirs = answer.error or ", ".join(f"{zh} x{times}" for zh, times in answer.fans.items())
    hand = format_hand(deal.hand)
    return f"  {hand}  hupai {score.total} ({ours})  PyMahjongGB {answer.total} ({theirs})"


def _forbidden(rules: McrRules, deal: Deal) -> Iterator[str]:
    score, answer = rules.score(deal.hand, deal.circumstances), ask(deal)
    name = _class(deal, score, answer)
    yield f"  {name}: {next(kind.settled_by for kind in CLASSES if kind.name == name)}"
    theirs, ours = answer.error or answer.total, score.problems[0].message
    yield f"    {format_hand(deal.hand)}: PyMahjongGB {theirs}; hupai: {ours}"


if __name__ == "__main__":
    main()
