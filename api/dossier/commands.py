"""What people do with a case, as events to be written: open, add a photo, propose, decide, claim,
rule, close.

Each function gives the bodies that follow from an act; `hupai.api.dossier.chain.log.extend` checks,
signs and appends them.
"""

from __future__ import annotations

from dataclasses import replace

from hupai.api.contract.hand import CircumstancesModel
from hupai.api.dossier.case import Case, CaseState
from hupai.api.dossier.chain.events import (
    Body,
    CorrectionDecided,
    CorrectionProposed,
    Objected,
    Opened,
    PhotoAdded,
    PhotoRecord,
    ResultRecord,
    Scored,
    TileChange,
)
from hupai.api.dossier.photo_records import read_record
from hupai.api.dossier.recorded_scores import program, result_of, rules_of, rules_record
from hupai.scoring.errors import HupaiError
from hupai.scoring.hand import Hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.types import PhotoReading


class NothingChangedError(HupaiError):
    """A correction that changes neither the hand nor the circumstances."""


class NoSuchProposalError(HupaiError):
    """There is no open proposal with this number."""


class NotContestableError(HupaiError):
    """An objection to an entry that the case does not have, or that records nothing to object to;
    `zh` says so in Chinese.

    Attributes:
        entries: the numbers of the entries that may be objected to.
    """

    def __init__(self, case: Case, entry: int) -> None:
        self.entries = contestable(case)
        listed = ", ".join(map(str, self.entries))
        listed_zh = "、".join(map(str, self.entries))
        known = entry < case.events
        wrong = f"Entry {entry} records nothing to object to" if known else f"No entry {entry}"
        wrong_zh = f"第 {entry} 条没有可异议的内容" if known else f"案卷没有第 {entry} 条"
        self.zh = f"{wrong_zh}：请选第 {listed_zh} 条，或不填条目，对整个案卷提出异议。"
        super().__init__(
            f"{wrong}: choose among {listed}, or leave the entry out to object to the whole case."
        )


_PROCEDURAL = frozenset(
    {"opened", "objected", "closed", "reopened", "key_changed", "key_introduced"}
)
"""Kinds of entry that say nothing about the hand: nobody can object to them."""


def opening(
    title: str,
    rules: RuleSet,
    circumstances: CircumstancesModel,
    house: str | None = None,
    zone: str = "",
) -> Opened:
    """Build the first event; `house` is the text of a house-rule file, `zone` that of the table."""
    return Opened(
        title=title,
        rules=rules_record(rules, house),
        circumstances=circumstances,
        program=program(),
        zone=zone,
    )


def photo_events(
    rules: RuleSet, circumstances: CircumstancesModel, photo: PhotoRecord, reading: PhotoReading
) -> list[Body]:
    """Build the event of a photo: the reading, and the score of its likeliest hand if any."""
    read = read_record(reading)
    bodies: list[Body] = [PhotoAdded(photo=photo), read]
    result = reading_result(rules, circumstances, reading)
    if result is not None:
        bodies.append(Scored(photo=photo.sha256, result=result))
    return bodies


def reading_result(
    rules: RuleSet, circumstances: CircumstancesModel, reading: PhotoReading
) -> ResultRecord | None:
    """Score the likeliest hand of a reading; None if no hand was read."""
    hands = reading.reading.hands
    return result_of(rules, hands[0].hand, circumstances) if hands else None


def more_photos(case: Case, photo: PhotoRecord, reading: PhotoReading) -> list[Body]:
    """Build the event of a further photo of the same hand.

    Its score becomes the computed one only if the photo is read with more certainty than
    those before.

    A certain reading takes precedence; between equals, the one whose likeliest hand is more
    probable.
    """
    bodies = photo_events(rules_of(case.opening.rules), case.opening.circumstances, photo, reading)
    rank = (
        reading.reading.certain,
        reading.reading.hands[0].probability if reading.reading.hands else 0.0,
    )
    known = [
        one.read.reading for one in case.photos if one.read is not None and one.read.reading.hands
    ]
    if any((one.certain, one.hands[0].probability) >= rank for one in known):
        bodies = [body for body in bodies if not isinstance(body, Scored)]
    return bodies


def proposal(
    case: Case,
    hand: Hand | None,
    circumstances: CircumstancesModel | None,
    reason: str,
    changes: tuple[TileChange, ...] = (),
) -> CorrectionProposed:
    """Build a correction of the hand, of how it was won, or of both; None leaves a part
    unchanged.

    Raises:
        NothingChangedError: hand and circumstances are those of the case already, or it has no
            hand and none is given.
    """
    standing = case.standing
    if hand is None and standing is None:
        raise NothingChangedError
    chosen = hand if hand is not None or standing is None else standing.hand.to_hand()
    assert chosen is not None
    won_how = circumstances or (
        standing.circumstances if standing is not None else case.opening.circumstances
    )
    after = result_of(rules_of(case.opening.rules), chosen, won_how)
    if standing is not None and (after.notation, after.circumstances) == (
        standing.notation,
        standing.circumstances,
    ):
        raise NothingChangedError
    return CorrectionProposed(
        reason=reason,
        changes=changes or tile_changes(standing, after),
        before=standing,
        after=after,
    )


def decision(case: Case, number: int, accepted: bool, reason: str) -> CorrectionDecided:
    """Build a referee's decision on the proposal in event `number`.

    Raises:
        NoSuchProposalError: there is none, or it is decided.
    """
    found = case.open_proposal(number)
    if found is None:
        raise NoSuchProposalError(number)
    after = found.proposal.after if accepted else case.standing
    return CorrectionDecided(
        proposal=number, accepted=accepted, reason=reason, before=case.standing, after=after
    )


def objection(case: Case, by: str, entry: int | None, what: str, reason: str) -> Objected:
    """Build a player's objection to an entry, or (None) to the whole case.

    Raises:
        NotContestableError: there is no such entry, or it records nothing to object to.
    """
    if entry is not None and entry not in contestable(case):
        raise NotContestableError(case, entry)
    return Objected(by=by, entry=entry, what=what, reason=reason)


def contestable(case: Case) -> tuple[int, ...]:
    """Return the numbers of the entries that may be objected to."""
    return tuple(seq for seq, kind in enumerate(case.kinds) if kind not in _PROCEDURAL)


def tile_changes(before: ResultRecord | None, after: ResultRecord) -> tuple[TileChange, ...]:
    """Return the difference between two hands as pairs of a tile out and a tile in.

    For corrections that name no tiles. A pair is half empty if one side has more tiles.
    """
    out = _faces(before.hand.to_hand()) if before is not None else []
    into = _faces(after.hand.to_hand())
    for face in list(out):
        if face in into:
            out.remove(face)
            into.remove(face)
    pairs = max(len(out), len(into))
    out += [None] * (pairs - len(out))
    into += [None] * (pairs - len(into))
    return tuple(
        TileChange(before=a.code if a is not None else "", after=b.code if b is not None else "")
        for a, b in zip(out, into, strict=True)
    )


def may(case: Case, referee: bool) -> dict[str, bool]:
    """Return what a person may do with the case in its current state; `referee`: they are one."""
    going = case.state is not CaseState.CLOSED
    return {
        "propose": going,
        "claim": going,
        "object": going,
        "add_photo": going,
        "note": going,
        "place": going,
        "decide": going and referee,
        "rule": going and referee,
        "close": going and referee,
        "reopen": not going and referee,
        "export": referee,
    }


def _faces(hand: Hand) -> list[Tile | None]:
    return [*sorted(hand.all_tiles), *sorted(hand.flowers)]


def replaced(hand: Hand, before: Tile, after: Tile) -> Hand:
    """Return the hand with one `before` replaced by `after`.

    The winning tile is tried first, then concealed tiles, melds (all tiles of a pung or kong) and
    flowers.

    Raises:
        LookupError: the hand has no such tile.
    """
    if hand.winning_tile == before:
        return replace(hand, winning_tile=after)
    if before in hand.concealed:
        index = hand.concealed.index(before)
        return replace(
            hand, concealed=(*hand.concealed[:index], after, *hand.concealed[index + 1 :])
        )
    for number, meld in enumerate(hand.melds):
        if before in meld.tiles:
            same = len(set(meld.tiles)) == 1
            index = meld.tiles.index(before)
            tiles = (
                (after,) * len(meld.tiles)
                if same
                else tuple(sorted((*meld.tiles[:index], after, *meld.tiles[index + 1 :])))
            )
            return replace(
                hand,
                melds=(*hand.melds[:number], replace(meld, tiles=tiles), *hand.melds[number + 1 :]),
            )
    if before in hand.flowers:
        index = hand.flowers.index(before)
        return replace(hand, flowers=(*hand.flowers[:index], after, *hand.flowers[index + 1 :]))
    raise LookupError(before.code)
