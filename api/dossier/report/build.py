"""A case on paper: photo, hand, fan with clauses, what was left out, corrections, ruling, hashes,
and lines to sign on.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from hupai.api.contract.circumstances import DESCRIPTIONS
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.dossier.case import Case
from hupai.api.dossier.chain.events import ResultRecord
from hupai.api.dossier.chain.keys import PublicKey
from hupai.api.dossier.report import parts as parts
from hupai.api.dossier.report.pdf import (
    BLUE,
    INK,
    MARGIN,
    RED,
    SOFT,
    VIOLET,
    WIDTH,
    Colour,
    DrawnTile,
    Paper,
)
from hupai.api.dossier.report.wording import WORDS, Language, Words
from hupai.api.hands.recognition import encode
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile
from hupai.vision.photo.decode import decode
from hupai.vision.pipeline.annotate import annotate

_PICTURE_SIDE = 1500
_HIGHEST = 82.0
_HIGHEST_MORE = 48.0
_TO_SIGN = 85.0
"""Room for a ruling and the lines to sign on, so that both stand on one page."""


def report(
    case: Case, photos: Mapping[str, bytes], link: str = "", language: Language = "both"
) -> bytes:
    """Build the report of a case as a PDF.

    Args:
        case: as its log tells it.
        photos: the bytes of its photos by SHA-256; one that is missing is named, not shown.
        link: the address of the case, for the QR code; the code holds the case's number and last
            hash where it is empty.
        language: English, Chinese, or both beside each other.
    """
    words = Words(language)
    written = datetime.fromisoformat(case.last.time.replace("Z", "+00:00"))
    paper = Paper(f"{words('title')} {case.id}", written)
    try:
        return _written(
            paper,
            words,
            case,
            photos,
            f"{link}#{case.head}" if link else f"hupai:{case.id}#{case.head}",
        )
    finally:
        paper.release()


def _written(
    paper: Paper, words: Words, case: Case, photos: Mapping[str, bytes], code: str
) -> bytes:
    """Section after section; `code` is what the QR code says."""
    paper.footer_text = f"Hupai 和牌 · {case.id} · {case.head}"
    _head(paper, words, case, code)
    _photos(paper, words, case, photos)
    _hand(paper, words, case)
    parts.claims(paper, words, case)
    if case.standing is not None and case.standing.score is not None:
        parts.fans(paper, words, case.standing.score)
    parts.corrections(paper, words, case)
    paper.room(_TO_SIGN)
    parts.rulings(paper, words, case)
    _signatures(paper, words)
    parts.evidence(paper, words, case, PublicKey.from_text(case.last.key))
    if case.standing is not None and case.standing.score is not None:
        parts.other_rules(paper, words, case)
    return paper.bytes()


def _head(paper: Paper, words: Words, case: Case, code: str) -> None:
    side = 27.0
    paper.qr(code, MARGIN + WIDTH - side, MARGIN - 3, side)
    paper.set_xy(MARGIN, MARGIN)
    paper.write_text(f"和牌 Hupai · {words('title')}", 16, bold=True, width=WIDTH - side - 4)
    paper.ln(1)
    opening = case.opening
    facts = [
        opening.title,
        f"{words('case')}: {case.id}",
        f"{words('rules')}: "
        f"{words.pick(opening.rules.name_en, opening.rules.name_zh)} ({opening.rules.id})",
        f"{words('opened')}: {shown_time(case.opened.time)}, {case.opened.author.shown}",
        f"{words('state')}: {words(f'state_{case.state.value}')}",
    ]
    for fact in facts:
        if fact:
            paper.set_x(MARGIN)
            paper.write_text(fact, 9, width=WIDTH - side - 4)
    paper.set_y(max(paper.get_y(), MARGIN + side - 3))


def _photos(paper: Paper, words: Words, case: Case, photos: Mapping[str, bytes]) -> None:
    paper.heading(words("photos"))
    for number, photo in enumerate(case.photos):
        record, data = photo.record, photos.get(photo.record.sha256)
        if data is not None:
            image = decode(data, record.name).image
            if photo.read is not None:
                image = annotate(image, photo.read.reading.to_reading())
            highest = _HIGHEST if number == 0 else _HIGHEST_MORE
            paper.picture(
                encode(image, ".jpg", _PICTURE_SIDE), record.width, record.height, highest
            )
        taken = (
            f"{words('taken')} {record.taken.replace('T', ' ')}"
            if record.taken
            else words("no_time")
        )
        camera = f", {record.camera}" if record.camera else ""
        paper.write_text(
            f"{record.name}, {record.width} × {record.height}, {taken}{camera}", 7.5, SOFT
        )
        if photo.read is not None:
            model, reading = photo.read.model, photo.read.reading
            paper.write_text(f"{words('model')} {model.name} {model.version}", 7.5, SOFT)
            _say(
                paper,
                words,
                "certain" if reading.certain else "not_certain",
                INK if reading.certain else RED,
            )
            parts.doubts(paper, words, photo.read)
    if not case.photos_agree:
        _say(paper, words, "disagree", RED)


def _hand(paper: Paper, words: Words, case: Case) -> None:
    paper.heading(words("hand"))
    standing = case.standing
    if standing is None:
        _say(paper, words, "no_hand", RED)
        return
    changed = parts.accepted_tiles(case)
    inferred = _inferred(case)
    paper.tiles(_groups(words, standing.hand.to_hand(), inferred, changed))
    paper.write_text(standing.notation, 8, SOFT)
    if inferred:
        _say(paper, words, "inferred_tiles", VIOLET)
    if changed:
        _say(paper, words, "corrected_tiles", BLUE)
    if case.computed is not None and case.computed.notation != standing.notation:
        paper.ln(1.5)
        paper.write_text(words("hand_as_read"), 8.5, SOFT, bold=True)
        paper.tiles(_groups(words, case.computed.hand.to_hand(), inferred, ()), 6.2)
        paper.write_text(case.computed.notation, 8, SOFT)
    paper.ln(1)
    paper.write_text(f"{words('won_how')}: {won_how(words, standing)}", 8.5)


def _groups(
    words: Words, hand: Hand, inferred: tuple[Tile, ...], changed: tuple[Tile, ...]
) -> list[tuple[str, list[DrawnTile]]]:
    """Draw the hand as it lies; changed tiles are outlined in blue, inferred ones in violet."""
    left = {BLUE: list(changed), VIOLET: list(inferred)}

    def drawn(tile: Tile) -> DrawnTile:
        colour: Colour | None = next(
            (colour for colour, tiles in left.items() if tile in tiles), None
        )
        if colour is not None:
            left[colour].remove(tile)
        return DrawnTile(tile, colour)

    groups = (
        [(words("concealed"), [drawn(tile) for tile in sorted(hand.concealed)])]
        if hand.concealed
        else []
    )
    for meld in hand.melds:
        source = f", {words(f'from_{meld.claimed_from.value}')}" if meld.claimed_from else ""
        groups.append((words(meld.kind.value) + source, [drawn(tile) for tile in meld.tiles]))
    if hand.winning_tile is not None:
        groups.append((words("winning_tile"), [drawn(hand.winning_tile)]))
    if hand.flowers:
        groups.append((words("flowers"), [drawn(tile) for tile in hand.flowers]))
    return groups


def _inferred(case: Case) -> tuple[Tile, ...]:
    """Faces that were not seen but follow from the hand."""
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
    plain = CircumstancesModel().model_dump()
    given = {
        name: value
        for name, value in result.circumstances.model_dump().items()
        if value != plain[name]
    }
    said = []
    for name, value in given.items():
        about = DESCRIPTIONS.get(name)
        label = words.pick(about.label_en, about.label_zh, " ") if about else name
        choice = next((one for one in about.choices if one.value == value), None) if about else None
        shown = (
            ""
            if value is True
            else f": {words.pick(choice.label_en, choice.label_zh, ' ') if choice else value}"
        )
        said.append(label + shown)
    return "; ".join(said) or words("nothing_special")


def shown_time(moment: str) -> str:
    """Format a time of the log for people."""
    return moment[:19].replace("T", " ") + " UTC"


def _say(paper: Paper, words: Words, key: str, colour: Colour) -> None:
    for line in words.lines(*WORDS[key]):
        paper.write_text(line, 8.5, colour)


def _signatures(paper: Paper, words: Words) -> None:
    """Three lines to sign on, kept together with their heading."""
    paper.room(48)
    paper.heading(words("signatures"))
    column = (WIDTH - 16) / 3
    top = paper.get_y() + 14
    for number, who in enumerate(("signed_player", "signed_opponent", "signed_referee")):
        x = MARGIN + number * (column + 8)
        paper.set_draw_color(*INK)
        paper.line(x, top, x + column, top)
        paper.set_xy(x, top + 1)
        paper.write_text(words(who), 8, width=column)
        paper.line(x, top + 17, x + column, top + 17)
        paper.set_xy(x, top + 18)
        paper.write_text(words("date"), 8, SOFT, width=column)
    paper.set_xy(MARGIN, top + 25)
