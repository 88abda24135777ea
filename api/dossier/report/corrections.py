"""Every correction of a case in full: what changed, before and after, drawn and in notation."""

from __future__ import annotations

from collections import Counter
from functools import partial

from hupai.api.dossier.case import Case, Correction
from hupai.api.dossier.chain.events import CorrectionProposed, ResultRecord
from hupai.api.dossier.report.changes import changes
from hupai.api.dossier.report.hands import groups, won_how
from hupai.api.dossier.report.pdf import BLUE, INK, MARGIN, RED, SOFT, WIDTH, Paper
from hupai.api.dossier.report.wording import Words
from hupai.scoring.tiles import Tile

_TILE = 5.6
_ROW_OF_TILES = _TILE * 4 / 3 + 6


def corrections(paper: Paper, words: Words, case: Case) -> None:
    """Write who proposed what and why, the hand before and after, and what was decided."""
    if not case.corrections:
        return
    for one in case.corrections:
        first = one is case.corrections[0]
        paper.together(partial(_entry, words=words, one=one, headed=first))


def _entry(paper: Paper, words: Words, one: Correction, headed: bool) -> None:
    """Write a correction, with the heading of the section before the first."""
    if headed:
        paper.heading(words("corrections"))
    _correction(paper, words, one)


def total(words: Words, result: ResultRecord | None) -> str:
    """Return what a result is worth, or what it would count if it may not win."""
    score = result.score if result is not None else None
    if score is None:
        return "–"
    counted = f"{score.total} {words(f'unit_{score.unit}')}"
    return counted if score.legal else f"{words('not_legal')} ({counted})"


def _correction(paper: Paper, words: Words, one: Correction) -> None:
    proposal = one.proposal
    paper.band(
        f"{words('number')} {one.event.seq} · {words('proposed_by')} {one.event.author.shown}, "
        f"{words.time(one.event.time)}",
        f"{total(words, proposal.before)} → {total(words, proposal.after)}",
    )
    paper.write_text(f"{words('reason')}: {proposal.reason}", 8.5)
    for change in changes(proposal.before, proposal.after):
        for line in words.lines(change.en, change.zh):
            paper.write_text(f"· {line}", 8.5, BLUE)
    paper.ln(0.8)
    if proposal.before is not None:
        _side(paper, words, "before", proposal.before, ())
    _side(paper, words, "after", proposal.after, _new_tiles(proposal))
    _decision(paper, words, one)
    paper.ln(2)


def _side(
    paper: Paper, words: Words, key: str, result: ResultRecord, changed: tuple[Tile, ...]
) -> None:
    """Draw a hand and write it: notation, how it was won, score."""
    paper.room(_ROW_OF_TILES + 8)
    paper.write_text(
        f"{words(key)}: {result.notation} — {total(words, result)}", 8.5, INK, bold=True
    )
    paper.write_text(f"{words('won_how')}: {won_how(words, result)}", 7.5, SOFT)
    paper.tiles(groups(words, result.hand.to_hand(), (), changed), _TILE)


def _decision(paper: Paper, words: Words, one: Correction) -> None:
    if one.decision is None or one.decided is None:
        paper.write_text(words("open_still"), 9, RED, bold=True)
        return
    verdict = words("accepted" if one.decision.accepted else "rejected")
    reason = f": {one.decision.reason}" if one.decision.reason else ""
    when = f"{one.decided.author.shown}, {words.time(one.decided.time)}"
    paper.write_text(f"{verdict} — {when}{reason}", 9, bold=True)


def _new_tiles(proposal: CorrectionProposed) -> tuple[Tile, ...]:
    """Return the faces that the hand did not have before."""
    if proposal.before is None:
        return ()
    had = Counter(proposal.before.hand.to_hand().all_tiles)
    had.update(proposal.before.hand.to_hand().flowers)
    has = Counter(proposal.after.hand.to_hand().all_tiles)
    has.update(proposal.after.hand.to_hand().flowers)
    return tuple((has - had).elements())


def accepted_tiles(case: Case) -> tuple[Tile, ...]:
    """Return the tiles of the standing hand that accepted corrections brought in."""
    decided = [
        one for one in case.corrections if one.decision is not None and one.decision.accepted
    ]
    return tuple(
        Tile.from_code(change.after)
        for one in decided
        if one.proposal.before is not None
        for change in one.proposal.changes
        if change.after
    )


def undecided(paper: Paper, words: Words, case: Case) -> None:
    """Say in red which corrections were not decided, if the case is ruled on or closed."""
    still = list(map(str, case.undecided))
    if still and case.rulings:
        paper.set_x(MARGIN)
        for line in words.lines(
            f"Not decided: corrections no. {', '.join(still)}.",
            f"尚有更正未决：第 {'、'.join(still)} 条。",
        ):
            paper.write_text(line, 9, RED, bold=True, width=WIDTH)
