"""Compares the riichi family with the `mahjong` library called directly, on generated hands.

    python -m benchmarks.scoring.riichi_agreement [--hands 20000] [--seed 1]

In the direct call the library decomposes the hand and counts yaku, dora, fu and points itself, with
settings made here. Rules of a profile for which the library has no setting are counted separately:
a double-wind pair at 2 fu, and a limit of one yakuman. Points, han, fu and yaku are compared.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig, HandConstants, OptionalRules
from mahjong.hand_calculating.hand_response import HandResponse
from mahjong.meld import Meld as LibraryMeld

from benchmarks.scoring.hands import deals
from hupai.scoring.hand import Circumstances, Hand, MeldKind
from hupai.scoring.result import Score
from hupai.scoring.riichi.profiles import HumanWin, RiichiOptions
from hupai.scoring.riichi.rules import RULES, RiichiRules
from hupai.scoring.tiles import FIVES, PLAYABLE, WINDS, Tile

_HAND = [*range(31), 33, 32, 31]
"""The library's index of each kind of tile: its dragons are in the order white, green, red."""

_MELDS = {
    MeldKind.CHOW: LibraryMeld.CHI,
    MeldKind.PUNG: LibraryMeld.PON,
    MeldKind.ADDED_KONG: LibraryMeld.SHOUMINKAN,
}


@dataclass(frozen=True, slots=True)
class RiichiDeal:
    """A won hand, how it was won, and under which rules."""

    hand: Hand
    circumstances: Circumstances
    rules: RiichiRules


def riichi_deals(seed: int, number: int) -> Iterator[RiichiDeal]:
    """Yield winning hands under the profiles in turn, without contradictions."""
    rng = random.Random(seed)
    made = 0
    for deal in deals(seed, 3 * number, irregular=0.3):
        rules = RULES[made % len(RULES)]
        circumstances = _circumstances(rng, deal.hand, rules.options)
        hand = _with_red_fives(rng, replace(deal.hand, flowers=()), rules.options)
        score = rules.score(hand, circumstances)
        if not score.complete or any(p.code != "no_yaku" for p in score.problems if _wrong(p.code)):
            continue
        made += 1
        yield RiichiDeal(hand, circumstances, rules)
        if made == number:
            return


def _wrong(code: str) -> bool:
    return code not in ("dealer_unknown", "furiten_not_seen", "chow_not_from_left")


def _circumstances(rng: random.Random, hand: Hand, options: RiichiOptions) -> Circumstances:
    """Draw circumstances that do not contradict each other or the hand."""
    drawn = rng.random() < 0.5
    is_open = any(not meld.is_concealed for meld in hand.melds)
    kong = any(meld.is_kong for meld in hand.melds)
    riichi = not is_open and rng.random() < 0.5
    left = Counter(dict.fromkeys(PLAYABLE, 4))
    left.subtract(hand.all_tiles)
    wall = [tile for tile in PLAYABLE for _ in range(max(0, left[tile]))]
    rng.shuffle(wall)
    shown = rng.choice((1, 1, 2)) if options.kan_dora else 1
    replaced = drawn and kong and rng.random() < 0.1
    last = not replaced and rng.random() < 0.05
    robbed = (
        not drawn and not last and hand.all_tiles.count(hand.winning_tile) == 1
        and rng.random() < 0.05
    )  # fmt: skip
    return Circumstances(
        self_drawn=drawn,
        seat_wind=rng.choice(WINDS),
        round_wind=rng.choice(WINDS[:2]),
        riichi=riichi,
        double_riichi=riichi and rng.random() < 0.1,
        ippatsu=riichi and options.ippatsu and not replaced and rng.random() < 0.2,
        kong_replacement=replaced,
        robbing_kong=robbed,
        last_tile=last,
        dora_indicators=tuple(wall[:shown]),
        ura_indicators=tuple(wall[5 : 5 + shown]) if riichi and options.ura_dora else (),
        honba=rng.choice((0, 0, 1, 3)),
        riichi_sticks=rng.choice((0, 0, 1, 2)),
    )


def _with_red_fives(rng: random.Random, hand: Hand, options: RiichiOptions) -> Hand:
    """Make some fives of the hand red, one of a suit at most."""
    if not any(options.red_fives):
        return hand
    inside = [*hand.concealed, *((hand.winning_tile,) if hand.winning_tile else ())]
    red = tuple(
        five for five in FIVES if five in inside and (inside.count(five) == 4 or rng.random() < 0.4)
    )
    melds = []
    left = [five for five in FIVES if five not in red]
    for meld in hand.melds:
        found = tuple(
            five
            for five in left
            if five in meld.tiles and (hand.all_tiles.count(five) == 4 or rng.random() < 0.4)
        )
        left = [five for five in left if five not in found]
        melds.append(replace(meld, red_fives=found))
    return replace(hand, red_fives=red, melds=tuple(melds))


def ask_library(deal: RiichiDeal) -> HandResponse:
    """Let the library score a hand by itself."""
    hand, circumstances, options = deal.hand, deal.circumstances, deal.rules.options
    free = {kind: [4 * kind + copy for copy in range(4)] for kind in range(34)}
    plain = {kind: copies[1:] + copies[:1] for kind, copies in free.items()}

    def take(tiles: Sequence[Tile], red: Sequence[Tile]) -> list[int]:
        left, taken = list(red), []
        for tile in tiles:
            copies = plain[_HAND[tile]]
            if tile in left:
                left.remove(tile)
                taken.append(copies.pop(copies.index(4 * _HAND[tile])))
            else:
                taken.append(copies.pop(0))
        return taken

    melds = [
        LibraryMeld(
            _MELDS.get(meld.kind, LibraryMeld.KAN),
            take(sorted(meld.tiles), meld.red_fives),
            opened=not meld.is_concealed,
        )
        for meld in hand.melds
    ]
    assert hand.winning_tile is not None
    own = take((*hand.concealed, hand.winning_tile), hand.red_fives)
    won = next(one for one in own if one // 4 == _HAND[hand.winning_tile])
    config = HandConfig(
        is_tsumo=circumstances.self_drawn,
        is_riichi=circumstances.riichi and not circumstances.double_riichi,
        is_daburu_riichi=circumstances.double_riichi,
        is_ippatsu=circumstances.ippatsu,
        is_rinshan=circumstances.kong_replacement,
        is_chankan=circumstances.robbing_kong,
        is_haitei=circumstances.last_tile and circumstances.self_drawn,
        is_houtei=circumstances.last_tile and not circumstances.self_drawn,
        player_wind=None if circumstances.seat_wind is None else _HAND[circumstances.seat_wind],
        round_wind=None if circumstances.round_wind is None else _HAND[circumstances.round_wind],
        kyoutaku_number=circumstances.riichi_sticks,
        tsumi_number=circumstances.honba,
        options=OptionalRules(
            has_open_tanyao=options.open_tanyao,
            has_aka_dora=any(options.red_fives),
            has_double_yakuman=options.double_yakuman,
            kiriage=options.rounded_mangan,
            kazoe_limit=HandConstants.KAZOE_LIMITED
            if options.counted_yakuman
            else HandConstants.KAZOE_SANBAIMAN,
        ),
    )
    return HandCalculator.estimate_hand_value(
        [*own, *(tile for meld in melds for tile in meld.tiles)],
        won,
        melds,
        [4 * _HAND[tile] + 1 for tile in circumstances.dora_indicators],
        config,
        ura_dora_indicators=[4 * _HAND[tile] + 1 for tile in circumstances.ura_indicators],
    )


def not_expressible(deal: RiichiDeal, answer: HandResponse) -> str:
    """Name the rule used by this hand that the library has no setting for; empty if none."""
    options, circumstances = deal.rules.options, deal.circumstances
    pair = deal.hand.all_tiles.count(circumstances.seat_wind) == 2
    if (
        options.double_wind_pair_fu == 2
        and circumstances.seat_wind is circumstances.round_wind
        and pair
    ):
        return "a pair of the double wind at 2 fu"
    limit = [yaku for yaku in answer.yaku or () if yaku.is_yakuman]
    if len(limit) > 1 and not options.yakuman_add_up:
        return "one yakuman as the most"
    if circumstances.human_win and options.human_win is HumanWin.MANGAN:
        return "renhou as a mangan by itself"
    return ""


def differences(score: Score, answer: HandResponse) -> list[str]:
    """List the differences between a score and the library's answer."""
    if answer.error is not None:
        return [] if score.total == 0 else [f"the library says {answer.error}"]
    details = dict(score.details)
    ours = {
        "han": details["han"],
        "fu": details["fu"] if score.total and not _is_orphans(score) else 0,
        "receives": score.winner_receives,
        "yaku": sorted(line.points * line.count for line in score.fans),
    }
    assert answer.yaku is not None
    assert answer.cost is not None
    is_open = answer.is_open_hand
    theirs = {
        "han": answer.han,
        "fu": answer.fu,
        "receives": answer.cost["total"],
        "yaku": sorted(
            (yaku.han_open if is_open and yaku.han_open else yaku.han_closed) or 0
            for yaku in answer.yaku
        ),
    }
    return [
        f"{name}: {ours[name]}, library {theirs[name]}"
        for name in ours
        if ours[name] != theirs[name]
    ]


def _is_orphans(score: Score) -> bool:
    return any("kokushi" in line.id for line in score.fans)


def main() -> None:
    """Compare and print the counts and the first differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    agree, apart = 0, Counter[str]()
    yaku: Counter[str] = Counter()
    shown = 0
    for deal in riichi_deals(wanted.seed, wanted.hands):
        score, answer = deal.rules.score(deal.hand, deal.circumstances), ask_library(deal)
        yaku.update(line.id for line in score.fans)
        reason = not_expressible(deal, answer)
        found = differences(score, answer)
        if not found:
            agree += 1
        elif reason:
            apart[reason] += 1
        else:
            apart["differs"] += 1
            shown += 1
            if shown <= 20:
                print(deal.rules.id, deal.hand, "|", deal.circumstances, found)
    print(f"{wanted.hands} hands, seed {wanted.seed}: {agree} agree, {apart['differs']} differ")
    for name, count in apart.items():
        if name != "differs":
            print(f"  no setting in the library: {name}: {count} hands")
    rarest = ", ".join(f"{name} {count}" for name, count in reversed(yaku.most_common()))
    print(f"{len(yaku)} yaku and kinds of dora occur: {rarest}")


if __name__ == "__main__":
    main()
