"""What can be wrong with any hand, whatever it is to score under: tiles, counts, melds, and flags
that cannot go together.

Each check returns every problem it finds. The wording names the rule set where the reason lies
there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

from hupai.scoring.checks.catalogue import codes, names, problem
from hupai.scoring.decomposition.packed import ONES, count_of, pack
from hupai.scoring.hand import Circumstances, Hand, MeldKind
from hupai.scoring.result import Problem, Severity
from hupai.scoring.tiles import Tile

HAND_SIZE = 14


@dataclass(frozen=True, slots=True)
class FlagRule:
    """Two circumstances that exclude one another, or one that needs another.

    Attributes:
        when: the flag this is about.
        other: the flag it excludes, or needs.
        needs: True if `other` must be set too, False if it must not.
        en: what to say.
        zh: the same in Chinese.
    """

    when: str
    other: str
    needs: bool
    en: str
    zh: str


_COMMON_FLAG_RULES = (
    FlagRule(
        "kong_replacement",
        "self_drawn",
        True,
        "A win on the replacement tile of a kong is self-drawn: set self-drawn too, or take the "
        "kong replacement away.",
        "杠上开花必为自摸：请同时选自摸，或取消杠上开花。",
    ),
    FlagRule(
        "robbing_kong",
        "self_drawn",
        False,
        "A robbed kong is another player's tile, so it cannot be self-drawn: take one of the two "
        "away.",
        "抢杠和的是他人的牌，不能同时自摸：请取消其一。",
    ),
    FlagRule(
        "kong_discard",
        "self_drawn",
        False,
        "A discard after a kong is another player's tile, so it cannot be self-drawn: take one of "
        "the two away.",
        "杠上炮和的是他人打出的牌，不能同时自摸：请取消其一。",
    ),
    FlagRule(
        "kong_discard",
        "robbing_kong",
        False,
        "The tile was either discarded after a kong or robbed from one, not both: take one of the "
        "two away.",
        "同一张牌不能既是杠上炮又是抢杠：请取消其一。",
    ),
    FlagRule(
        "robbing_kong",
        "last_tile",
        False,
        "A kong can be robbed only while a replacement tile is left, so the tile cannot be the "
        "last: take one of the two away.",
        "抢杠时牌墙须有补牌，不可能同时是最后一张：请取消其一。",
    ),
)


_PLAIN = Circumstances()

_SOUND_MELDS = frozenset(
    [(MeldKind.CHOW, (Tile(i), Tile(i + 1), Tile(i + 2))) for i in range(27) if i % 9 < 7]
    + [(MeldKind.PUNG, (Tile(i),) * 3) for i in range(34)]
    + [
        (kind, (Tile(i),) * 4)
        for kind in (MeldKind.KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG)
        for i in range(34)
    ]
)


def is_sound(hand: Hand, kinds: int = 34) -> bool:
    """Check quickly that nothing is wrong with a won hand of 14 tiles without flowers.

    Looks at its tiles, their number and its melds; False for every other hand.

    Args:
        hand: the hand.
        kinds: only the first so many kinds of `Tile` are in play.
    """
    if hand.winning_tile is None or hand.flowers or hand.size != HAND_SIZE:
        return False
    for meld in hand.melds:
        if (meld.kind, meld.tiles) not in _SOUND_MELDS:
            return False
    tiles = hand.all_tiles
    if max(tiles) >= kinds:
        return False
    counts = pack(tiles)
    # More than seven of a kind run over into the next kind, which the sum shows.
    return not counts >> 2 & (counts | counts >> 1) & ONES and count_of(counts) == len(tiles)


def tile_problems(
    hand: Hand, in_play: frozenset[Tile], name_en: str, name_zh: str
) -> Iterator[Problem]:
    """Find tiles that lie face down, are not in play here, or occur more than four times."""
    tiles = hand.all_tiles
    counts = Counter(tiles)
    if (
        not hand.flowers
        and in_play.issuperset(counts)
        and max(counts.values(), default=0) <= 4
        and Tile.BACK not in counts
    ):
        return
    backs = tuple(t for t in tiles if t is Tile.BACK)
    if backs:
        yield problem(
            "face_down_tile",
            f"{len(backs)} tile(s) lie face down: say which they are.",
            f"有 {len(backs)} 张牌扣着：请说明是什么牌。",
            backs,
        )
    flowers = tuple(t for t in chain(hand.flowers, tiles) if t.is_flower and t not in in_play)
    if flowers:
        yield problem(
            "flower_not_used",
            f"{name_en} is played without flower tiles: take {codes(flowers)} out.",
            f"{name_zh}不用花牌：请去掉{names(flowers)}。",
            flowers,
        )
    honours = tuple(t for t in tiles if t.is_honour and t not in in_play)
    if honours:
        yield problem(
            "honour_not_used",
            f"{name_en} is played with the three suits only, without winds and dragons: "
            f"{codes(honours)} cannot be in the hand.",
            f"{name_zh}只用万、饼、条，没有字牌：手牌中不能有{names(honours)}。",
            honours,
        )
    misplaced = tuple(t for t in hand.flowers if not t.is_flower)
    if misplaced:
        yield problem(
            "not_a_flower",
            f"{codes(misplaced)} stand(s) among the flowers but is no flower: put it into the hand "
            "or take it away.",
            f"{names(misplaced)}不是花牌：请放回手牌或去掉。",
            misplaced,
        )
    for tile in sorted(set(counts) - {Tile.BACK}):
        n = counts[tile]
        if n > 4:
            yield problem(
                "five_of_a_kind",
                f"{tile.code} occurs {n} times, but a set holds only four of it: check the tiles.",
                f"{names((tile,))}有 {n} 张，而一副牌只有四张：请核对。",
                (tile,),
            )


def meld_problems(hand: Hand) -> Iterator[Problem]:
    """Find melds that are not what they are said to be."""
    for meld in hand.melds:
        if not meld.is_well_formed:
            yield problem(
                "bad_meld",
                f"{codes(meld.tiles)} is no {meld.kind.value.replace('_', ' ')}: "
                "a chow is three in a row of one suit, a pung three and a kong four of the same "
                "tile.",
                f"{names(meld.tiles)}不能成为这样的一副：顺子为同花色三张相连，刻子三张相同，"
                "杠四张相同。",
                meld.tiles,
            )


def count_problems(hand: Hand) -> Iterator[Problem]:
    """Find out whether the hand is not 14 tiles, a kong counted as three."""
    size = hand.size
    if size == HAND_SIZE:
        return
    if size == HAND_SIZE - 1 and hand.winning_tile is None:
        yield problem(
            "not_won_yet",
            "The hand has 13 tiles and no winning tile: it has not won yet; name the tile that "
            "completes it.",
            "手牌 13 张而没有和的那张牌，尚未和牌：请给出和牌张。",
        )
        return
    less = size < HAND_SIZE
    difference = abs(HAND_SIZE - size)
    yield problem(
        "wrong_count",
        f"The hand counts {size} {'tile' if size == 1 else 'tiles'} (a kong as three) where 14 are "
        f"needed: {difference} too {'few' if less else 'many'}.",
        f"手牌共 {size} 张（杠按三张计），和牌应为 14 张：{'少' if less else '多'} {difference} "
        "张。",
    )


def flag_problems(
    hand: Hand, circumstances: Circumstances, read: frozenset[str]
) -> Iterator[Problem]:
    """Find contradictions among the circumstances that are read, and between them and the hand."""
    if not any(_FLAGS_WITH_RULES(circumstances)):
        return
    for rule in _COMMON_FLAG_RULES:
        if {rule.when, rule.other} <= read and getattr(circumstances, rule.when):
            if bool(getattr(circumstances, rule.other)) != rule.needs:
                yield contradiction(rule.en, rule.zh)
    kongs = [meld for meld in hand.melds if meld.is_kong]
    if circumstances.kong_replacement and not kongs:
        yield contradiction(
            "A win on the replacement tile needs a kong, and the hand shows none: add the kong or "
            "take the flag away.",
            "杠上开花须先开杠，而手牌中没有杠：请补上杠或取消该项。",
        )
    tile = hand.winning_tile
    if tile is None:
        return
    if circumstances.robbing_kong and hand.all_tiles.count(tile) > 1:
        yield contradiction(
            f"A robbed {tile.code} was the fourth of another player's pung, so the hand cannot "
            f"hold another {tile.code}.",
            f"被抢的{names((tile,))}是他人所碰之牌的第四张，手中不可能还有此牌。",
            (tile,),
        )
    if "last_of_kind" in read and circumstances.last_of_kind and tile in hand.concealed:
        yield contradiction(
            f"The winning {tile.code} is said to be the last of its kind, but the hand itself "
            "still holds another unseen one.",
            f"和绝张要求其余三张{names((tile,))}均已亮明，而手中还有未亮的一张。",
            (tile,),
        )


CIRCUMSTANCE_NAMES_ZH = {
    "self_drawn": "自摸",
    "last_tile": "最后一张",
    "last_of_kind": "和绝张",
    "kong_replacement": "杠上开花",
    "kong_discard": "杠上炮",
    "robbing_kong": "抢杠和",
    "seat_wind": "门风",
    "round_wind": "圈风",
    "flowers": "花牌",
    "dealer": "庄家",
    "dealer_streak": "连庄",
    "ready_declared": "报听",
    "heavenly_ready": "天听",
    "heavenly_win": "天和",
    "opponents": "付分人数",
    "partner_play": "二对二",
    "void_suit": "定缺",
    "discarder_is_dealer": "庄家点炮",
}
"""Chinese names of circumstances."""


def flags_not_used(
    circumstances: Circumstances, read: frozenset[str], name_en: str, name_zh: str
) -> Iterator[Problem]:
    """Note each circumstance that is set but that these rules do not read."""
    if circumstances == _PLAIN:
        return
    for field in Circumstances.__dataclass_fields__:
        value = getattr(circumstances, field)
        if field not in read and value != getattr(_PLAIN, field) and value != 0:
            yield problem(
                "flag_not_used",
                f"{name_en} does not look at {field}: it changes nothing here.",
                f"{name_zh}不计{CIRCUMSTANCE_NAMES_ZH.get(field, field)}这一项，对结果没有影响。",
            )


_FLAGS_WITH_RULES = attrgetter(
    *dict.fromkeys([rule.when for rule in _COMMON_FLAG_RULES]), "last_of_kind"
)


def contradiction(en: str, zh: str, tiles: tuple[Tile, ...] = ()) -> Problem:
    """Return an ERROR for circumstances that cannot all be true."""
    return problem("contradictory_flags", en, zh, tiles)


def errors_first(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Sort problems: errors before warnings before notes, else in the order found."""
    found = tuple(problems)
    return (
        tuple(sorted(found, key=lambda p: _SEVERITIES.index(p.severity)))
        if len(found) > 1
        else found
    )


_SEVERITIES = tuple(Severity)


_SHAPE_UNKNOWN = frozenset(
    {"face_down_tile", "flower_not_used", "bad_meld", "wrong_count", "not_won_yet"}
)


def shape_can_be_judged(problems: tuple[Problem, ...]) -> bool:
    """Return False if a problem already says why the tiles cannot make a winning shape."""
    return not any(p.code in _SHAPE_UNKNOWN for p in problems)


def without_open_winning_tile(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Drop the question which tile won, of tiles that win with none of them."""
    return tuple(p for p in problems if p.code != "winning_tile_unknown")


def has_errors(problems: tuple[Problem, ...]) -> bool:
    """Return True if one of the problems keeps the hand from being scored as given."""
    return any(p.severity is Severity.ERROR for p in problems)
