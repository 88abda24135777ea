"""Cases and what belongs to them as JSON models."""

from __future__ import annotations

from dataclasses import asdict

from hupai.api.dossier.case import CasePhoto, Correction
from hupai.api.dossier.chain.events import Author, Noted
from hupai.api.dossier.chain.keys import PublicKey
from hupai.api.dossier.chain.log import Log
from hupai.api.dossier.chain.signers import Signer
from hupai.api.dossier.commands import may
from hupai.api.dossier.false_win import FalseWinHelp
from hupai.api.dossier.report.changes import changes
from hupai.api.dossier.schemas import (
    CaseCorrection,
    CaseListOut,
    CaseOut,
    CasePhotoOut,
    CaseSummaryOut,
    ClaimOut,
    DifferenceOut,
    EventOut,
    FalseWinListOut,
    FalseWinOut,
    NoteOut,
    ObjectionOut,
    RulingOut,
    SignerOut,
)
from hupai.api.dossier.store import CaseSummary
from hupai.scoring.mcr.citations import clause_zh


def case_out(log: Log, you: Author, key: PublicKey) -> CaseOut:
    """Return the current state of a case, as a given person may see it."""
    case = log.case
    holders = {one.key.text: one.holder for one in case.signers}
    return CaseOut(
        id=case.id,
        title=case.opening.title,
        state=case.state.value,
        rules=case.opening.rules,
        circumstances=case.opening.circumstances,
        opened=case.opened.time,
        zone=case.opening.zone,
        place=case.place,
        author=case.opened.author,
        head=case.head,
        fingerprint=key.fingerprint,
        photos=[_photo_out(one) for one in case.photos],
        photos_agree=case.photos_agree,
        computed=case.computed,
        standing=case.standing,
        corrections=[_correction_out(one) for one in case.corrections],
        claims=[
            ClaimOut(seq=e.event.seq, time=e.event.time, author=e.event.author, claim=e.claim)
            for e in case.claims
        ],
        objections=[
            ObjectionOut(
                number=e.event.seq,
                time=e.event.time,
                author=e.event.author,
                objection=e.objection,
                answered=e.event.seq not in case.unanswered,
            )
            for e in case.objections
        ],
        undecided=sorted((*case.undecided, *case.unanswered)),
        signers=[_signer_out(one) for one in case.signers],
        rulings=[
            RulingOut(
                seq=e.event.seq,
                time=e.event.time,
                author=e.event.author,
                ruling=e.ruling,
                fine_clause_zh="" if e.ruling.fine is None else clause_zh(e.ruling.fine.clause),
            )
            for e in case.rulings
        ],
        notes=[
            NoteOut(seq=e.seq, time=e.time, author=e.author, note=e.body)
            for e in case.notes
            if isinstance(e.body, Noted)
        ],
        events=[
            EventOut(
                seq=e.event.seq,
                time=e.event.time,
                author=e.event.author,
                kind=e.event.body.kind,
                hash=e.hash,
                signer=holders.get(e.event.key, ""),
            )
            for e in log.events
        ],
        you=you,
        may=may(case, you.role == "referee"),
    )


def _photo_out(one: CasePhoto) -> CasePhotoOut:
    return CasePhotoOut(
        photo=one.record,
        seq=one.added.seq,
        time=one.added.time,
        author=one.added.author,
        read=one.read,
    )


def _correction_out(one: Correction) -> CaseCorrection:
    return CaseCorrection(
        number=one.event.seq,
        time=one.event.time,
        author=one.event.author,
        proposal=one.proposal,
        decision=one.decision,
        decided_by=None if one.decided is None else one.decided.author,
        decided_at=None if one.decided is None else one.decided.time,
        differences=[
            DifferenceOut(en=part.en, zh=part.zh)
            for part in changes(one.proposal.before, one.proposal.after)
        ],
    )


def _signer_out(one: Signer) -> SignerOut:
    return SignerOut(
        fingerprint=one.key.fingerprint,
        holder=one.holder,
        from_entry=one.first,
        follows=None if one.by is None else one.by.fingerprint,
        lost=one.lost,
    )


def list_out(found: tuple[CaseSummary, ...], limit: int) -> CaseListOut:
    """Return a page of cases; one more than `limit` were fetched to know whether more follow."""
    shown = [
        CaseSummaryOut.model_validate(
            {
                **asdict(one),
                "opened": one.opened_at.isoformat(),
                "updated": one.updated_at.isoformat(),
            }
        )
        for one in found[:limit]
    ]
    return CaseListOut(cases=shown, next=shown[-1].id if len(found) > limit else None)


def false_win_out(found: tuple[FalseWinHelp, ...]) -> FalseWinListOut:
    """Return the help with a false win as JSON."""

    def one(help_: FalseWinHelp) -> FalseWinOut:
        written = asdict(help_)
        written["missing"] = [{**asdict(part), "lack": part.lack.value} for part in help_.missing]
        written["choices"] = [
            {**asdict(choice), "clause_zh": clause_zh(choice.clause)} for choice in help_.choices
        ]
        return FalseWinOut.model_validate(written)

    return FalseWinListOut(rules=[one(help_) for help_ in found])
