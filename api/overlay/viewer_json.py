"""Turns readings and hands into what viewers see: ordered tiles, waits, tiles left, the score."""

from __future__ import annotations

from collections.abc import Iterable

from hupai.api.overlay.schemas import Card, CardBar, CardFan, CardMeld, CardScore, CardWait
from hupai.scoring.checks.catalogue import CODES
from hupai.scoring.family import figure_words, unit_words
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind, Source
from hupai.scoring.result import RuleSet, Severity
from hupai.scoring.rule_sets import family_for
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import HAND_SIZE, Waits, score_known, waits
from hupai.vision.types import Reading

_SIDEWAYS = {Source.LEFT: 0, Source.ACROSS: 1, Source.RIGHT: -1}


def hand_card(
    seat: str,
    player: str,
    hand: Hand,
    rules: RuleSet,
    circumstances: Circumstances,
    visible: Iterable[Tile] = (),
) -> Card:
    """Return a whole hand as viewers see it.

    Args:
        seat, player: seat and name of the player.
        hand: 13 tiles, or 14 with or without a winning tile.
        rules: what it is scored by.
        circumstances: how it was won; for a hand of 13 the winds and the like.
        visible: tiles in view outside the hand, which reduce the number of tiles left.
    """
    unit_en, unit_zh = unit_words(family_for(rules))
    inside, won = hand.written_red_fives()
    found = None
    if hand.winning_tile is None and hand.size == HAND_SIZE:
        found = waits(hand, rules, circumstances, _possible(hand, visible))
    return Card(
        seat=seat,
        player=player,
        rules=rules.id,
        unit_en=unit_en,
        unit_zh=unit_zh,
        concealed=_codes(sorted(hand.concealed), inside),
        melds=[_meld(meld) for meld in hand.melds],
        winning_tile=None if hand.winning_tile is None else _codes([hand.winning_tile], won)[0],
        flowers=[tile.code for tile in sorted(hand.flowers)],
        waits=None if found is None else _waits(found),
        bars=[] if found is None else _bars(found),
        score=None if hand.winning_tile is None else _score(hand, rules, circumstances),
    )


def tiles_card(seat: str, player: str, reading: Reading, rules: RuleSet) -> Card:
    """Return tiles that are not a whole hand yet, in the order in which they lie."""
    unit_en, unit_zh = unit_words(family_for(rules))
    return Card(
        seat=seat,
        player=player,
        rules=rules.id,
        unit_en=unit_en,
        unit_zh=unit_zh,
        concealed=[tile.code for tile in tiles_in_order(reading)],
    )


def tiles_in_order(reading: Reading) -> tuple[Tile, ...]:
    """List the tiles of the reading row by row, left to right; only those of the hand if there is
    one.
    """
    chosen = [tile for tile in reading.tiles if tile.in_hand] or list(reading.tiles)
    chosen.sort(key=lambda tile: (tile.box[1] + tile.box[3]) / 2)
    rows: list[list[tuple[float, Tile]]] = []
    last = -1e9
    for tile in chosen:
        y, height = (tile.box[1] + tile.box[3]) / 2, tile.box[3] - tile.box[1]
        if not rows or y - last > 0.6 * height:
            rows.append([])
        last = y
        rows[-1].append((tile.box[0], tile.tile))
    return tuple(face for row in rows for _, face in sorted(row))


def other_tiles(reading: Reading) -> list[str]:
    """Return the codes of face-up tiles that are not part of the hand."""
    if not any(tile.in_hand for tile in reading.tiles):
        return []
    return [tile.tile.code for tile in reading.tiles if not tile.in_hand and tile.tile.is_playable]


def card_tiles(card: Card) -> list[Tile]:
    """Return all face-up tiles of a card; for a concealed kong all four."""
    codes = [*card.concealed, *([card.winning_tile] if card.winning_tile else [])]
    for meld in card.melds:
        shown = [code for code in meld.tiles if code != "?"]
        codes += (
            shown[:1] * len(meld.tiles) if meld.kind == MeldKind.CONCEALED_KONG.value else shown
        )
    return [Tile.from_code(code.replace("0", "5")) for code in codes if code != "?"]


def _codes(tiles: Iterable[Tile], red_fives: Iterable[Tile]) -> list[str]:
    """Return the tiles' codes, a red five as ``0m``, ``0p`` or ``0s``."""
    left = list(red_fives)
    codes = []
    for tile in tiles:
        red = tile in left
        if red:
            left.remove(tile)
        codes.append(tile.code.replace("5", "0") if red else tile.code)
    return codes


def _meld(meld: Meld) -> CardMeld:
    codes = _codes(meld.tiles, meld.red_fives)
    if meld.kind is MeldKind.CONCEALED_KONG:  # red fives come first, and are to be seen
        return CardMeld(kind=meld.kind.value, tiles=["?", *codes[:2], "?"])
    at = None if meld.claimed_from is None else _SIDEWAYS[meld.claimed_from]
    return CardMeld(kind=meld.kind.value, tiles=codes, sideways=len(codes) - 1 if at == -1 else at)


def _waits(found: Waits) -> list[CardWait]:
    if not found.is_ready:
        return []
    listed = []
    for wait in found.waits:
        totals = [way.score.total for way in wait.ways if way.score.legal] or [
            way.score.total for way in wait.ways
        ]
        left, legal = max(0, wait.remaining), wait.is_legal
        listed.append(
            CardWait(
                tile=wait.tile.code, left=left, least=min(totals), most=max(totals), legal=legal
            )
        )
    return listed


def _bars(found: Waits) -> list[CardBar]:
    """Return what bars a win, in the few words for which there is room on air."""
    return [
        CardBar(code=bar.code, zh=CODES[bar.code].zh, en=CODES[bar.code].en) for bar in found.bars
    ]


def _possible(hand: Hand, visible: Iterable[Tile]) -> list[Tile]:
    """Leave out a fifth tile of a kind: one was misread, and viewers want the waits even so."""
    own, kept = hand.all_tiles, list[Tile]()
    for tile in visible:
        if own.count(tile) + kept.count(tile) < 4:
            kept.append(tile)
    return kept


def _score(hand: Hand, rules: RuleSet, circumstances: Circumstances) -> CardScore:
    score = score_known(rules, hand, circumstances) or rules.score(hand, circumstances)
    reported = [problem for problem in score.problems if problem.severity is not Severity.NOTE]
    figures_en, figures_zh = figure_words(family_for(rules), score)
    return CardScore(
        total=score.total,
        unit=score.unit,
        complete=score.complete,
        legal=score.legal,
        self_drawn=circumstances.self_drawn,
        minimum=rules.minimum,
        figures_en=figures_en,
        figures_zh=figures_zh,
        fans=[
            CardFan(id=f.id, zh=f.zh, en=f.en, points=f.points * f.count, count=f.count)
            for f in score.fans
        ],
        problems=[problem.message for problem in reported],
        problems_zh=[problem.message_zh for problem in reported],
    )
