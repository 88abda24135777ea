"""A case on paper: photo, hand, fan with clauses, what was left out, corrections, ruling, hashes,
and lines to sign on.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from hupai.api.dossier.case import Case
from hupai.api.dossier.photo_records import STORED
from hupai.api.dossier.report import parts
from hupai.api.dossier.report.corrections import accepted_tiles, corrections, undecided
from hupai.api.dossier.report.hands import groups, inferred_tiles, won_how
from hupai.api.dossier.report.pdf import (
    BLUE,
    INK,
    MARGIN,
    RED,
    SOFT,
    VIOLET,
    WIDTH,
    Colour,
    Paper,
)
from hupai.api.dossier.report.table import place_of, players_of, signatures
from hupai.api.dossier.report.wording import WORDS, Language, Words
from hupai.api.hands.recognition import encode
from hupai.vision.photo.decode import decode
from hupai.vision.pipeline.annotate import annotate

_PICTURE_SIDE = 1500
_HIGHEST = 82.0
_HIGHEST_MORE = 48.0
_TO_SIGN = 105.0
"""Room for a ruling and the lines to sign on, so that both are on one page."""


def report(
    case: Case,
    photos: Mapping[str, bytes],
    link: str = "",
    language: Language = "both",
    zone: str = "",
    *,
    signer_known: bool = True,
) -> bytes:
    """Build the report of a case as a PDF.

    Args:
        case: the case, as its log describes it.
        photos: the bytes of its photos by SHA-256; one that is missing is named, not shown.
        link: the address of the case, for the QR code; if empty, the code holds the case's number
            and last hash.
        language: English, Chinese, or both beside each other.
        zone: time zone; if empty, that of the case, or UTC if it has none.
        signer_known: False if it is printed from a file and nobody said whose key signed it;
            the paper then says so.
    """
    words = Words(language, zone or case.opening.zone)
    written = datetime.fromisoformat(case.last.time)
    paper = Paper(f"{words('title')} {case.id}", written)
    try:
        return _written(
            paper,
            words,
            case,
            photos,
            f"{link}#{case.head}" if link else f"hupai:{case.id}#{case.head}",
            signer_known,
        )
    finally:
        paper.release()


def _written(
    paper: Paper,
    words: Words,
    case: Case,
    photos: Mapping[str, bytes],
    code: str,
    signer_known: bool,
) -> bytes:
    """Write section after section; `code` is the text of the QR code."""
    paper.footer_text = f"Hupai 和牌 · {case.id} · {case.head}"
    _head(paper, words, case, code)
    if not signer_known:
        _say(paper, words, "not_checked", RED)
    _photos(paper, words, case, photos)
    _hand(paper, words, case)
    parts.claims(paper, words, case)
    if case.standing is not None and case.standing.score is not None:
        parts.fans(paper, words, case.standing.score)
    corrections(paper, words, case)
    paper.room(_TO_SIGN)
    parts.rulings(paper, words, case)
    undecided(paper, words, case)
    signatures(paper, words, case)
    parts.evidence(paper, words, case)
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
        place_of(words, case.place),
        f"{words('case')}: {case.id}",
        f"{words('rules')}: "
        f"{words.pick(opening.rules.name_en, opening.rules.name_zh)} ({opening.rules.id})",
        f"{words('opened')}: {words.time(case.opened.time)}, {case.opened.author.shown}"
        + (f" ({words('zone')} {words.zone})" if words.zone else ""),
        f"{words('state')}: {words(f'state_{case.state.value}')}",
    ]
    for fact in facts:
        if fact:
            paper.set_x(MARGIN)
            paper.write_text(fact, 9, width=WIDTH - side - 4)
    paper.set_y(max(paper.get_y(), MARGIN + side - 3))
    paper.set_x(MARGIN)
    players_of(paper, words, case)


def _photos(paper: Paper, words: Words, case: Case, photos: Mapping[str, bytes]) -> None:
    if case.photos:
        paper.heading(words("photos"))
    for number, photo in enumerate(case.photos):
        record, data = photo.record, photos.get(photo.record.sha256)
        if data is not None:
            image = decode(data, record.name, STORED).image
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
    changed = accepted_tiles(case)
    inferred = inferred_tiles(case)
    paper.tiles(groups(words, standing.hand.to_hand(), inferred, changed))
    paper.write_text(standing.notation, 8, SOFT)
    if inferred:
        _say(paper, words, "inferred_tiles", VIOLET)
    if changed:
        _say(paper, words, "corrected_tiles", BLUE)
    if case.computed is not None and case.computed.notation != standing.notation:
        paper.ln(1.5)
        paper.write_text(words("hand_as_read"), 8.5, SOFT, bold=True)
        paper.tiles(groups(words, case.computed.hand.to_hand(), inferred, ()), 6.2)
        paper.write_text(case.computed.notation, 8, SOFT)
    paper.ln(1)
    paper.write_text(f"{words('won_how')}: {won_how(words, standing)}", 8.5)


def _say(paper: Paper, words: Words, key: str, colour: Colour) -> None:
    for line in words.lines(*WORDS[key]):
        paper.write_text(line, 8.5, colour)
