"""A hand on paper: its groups, drawn, and how it was won."""

from __future__ import annotations

from hupai.api.dossier.case import Case
from hupai.api.dossier.chain.events import ResultRecord
from hupai.api.dossier.report.changes import circumstance_words
from hupai.api.dossier.report.pdf import BLUE, RED, VIOLET, Colour, DrawnTile
from hupai.api.dossier.report.wording import Words
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile

Groups = list[tuple[str, list[DrawnTile]]]


def groups(
    words: Words, hand: Hand, inferred: tuple[Tile, ...] = (), changed: tuple[Tile, ...] = ()
) -> Groups:
    """Return the hand as it lies; changed tiles are outlined in blue, inferred ones in violet, red
    fives in red.
    """
    left = {BLUE: list(changed), VIOLET: list(inferred), RED: list(hand.red_fives)}

    def drawn(tile: Tile) -> DrawnTile:
        colour: Colour | None = next(
            (colour for colour, tiles in left.items() if tile in tiles), None
        )
        if colour is not None:
            left[colour].remove(tile)
        return DrawnTile(tile, colour)

    found: Groups = (
        [(words("concealed"), [drawn(tile) for tile in sorted(hand.concealed)])]
        if hand.concealed
        else []
    )
    for meld in hand.melds:
        source = f", {words(f'from_{meld.claimed_from.value}')}" if meld.claimed_from else ""
        left[RED] += meld.red_fives
        found.append((words(meld.kind.value) + source, [drawn(tile) for tile in meld.tiles]))
    if hand.winning_tile is not None:
        found.append((words("winning_tile"), [drawn(hand.winning_tile)]))
    if hand.flowers:
        found.append((words("flowers"), [drawn(tile) for tile in hand.flowers]))
    return found


def inferred_tiles(case: Case) -> tuple[Tile, ...]:
    """Return the faces that were not seen but follow from the hand."""
    read = next(
        (
            photo.read
            for photo in case.photos
            if photo.read is not None and photo.read.reading.hands
        ),
        None,
    )
    tiles = read.reading.tiles if read is not None else ()
    return tuple(
        tile.tile for tile in tiles if tile.inferred and tile.in_hand and tile.tile is not Tile.BACK
    )


def won_how(words: Words, result: ResultRecord) -> str:
    """List the circumstances that differ from their defaults."""
    said = [words.pick(one.en, one.zh, " ") for one in circumstance_words(result.circumstances)]
    return "; ".join(said) or words("nothing_special")
