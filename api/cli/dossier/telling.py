"""A case as the command line tells it: every entry with its number, and what holds now."""

from __future__ import annotations

from collections.abc import Iterator

from hupai.api.contract.hand import CircumstancesModel
from hupai.api.dossier.case import Case
from hupai.api.dossier.chain import events as entries
from hupai.api.dossier.chain.events import Event, ResultRecord
from hupai.api.dossier.chain.keys import PublicKey
from hupai.api.dossier.chain.log import Log
from hupai.api.dossier.report.changes import changes, circumstance_words
from hupai.api.dossier.report.zones import shown_time


def told(log: Log) -> Iterator[str]:
    """Yield the lines that tell a case: entry after entry, then where it stands."""
    case = log.case
    holders = {one.key.text: one.holder for one in case.signers}
    yield f"{case.id}  {case.opening.title}".rstrip()
    for signed in log.events:
        event = signed.event
        own = f", signed by {holders[event.key]}'s own key" if holders.get(event.key) else ""
        when = shown_time(event.time, case.opening.zone, seconds=True)
        kind = event.body.kind.replace("_", " ")
        yield f"{event.seq:4}  {kind} — {event.author.shown}, {when}{own}  [{signed.hash[:16]}]"
        yield from (f"        {line}" for line in _said(event))
    yield from _standing(case)


def _standing(case: Case) -> Iterator[str]:
    undecided = {
        "corrections": case.undecided,
        "objections": case.unanswered,
    }
    for what, numbers in undecided.items():
        if numbers:
            yield f"undecided {what}: {', '.join(map(str, numbers))}"
    ruling = case.ruling.ruling if case.ruling is not None else None
    if ruling is not None:
        total = "" if ruling.total is None else f", {ruling.total} {ruling.unit}"
        yield f"ruled: {ruling.outcome.replace('_', ' ')}{total}"
    yield f"{case.state.value}; {_result(case.standing)}"


def _result(result: ResultRecord | None) -> str:
    if result is None:
        return "no hand: no score"
    score = result.score
    return f"{result.notation}: {'no score' if score is None else f'{score.total} {score.unit}'}"


def _said(event: Event) -> Iterator[str]:  # noqa: C901 - one case a kind of entry
    match event.body:
        case entries.Opened() as body:
            yield f"rules {body.rules.id}, {_won_how(body.circumstances)}"
        case entries.PlayedAt() as body:
            where = {name: getattr(body, name) for name in _PLACE}
            yield ", ".join(f"{name} {value}" for name, value in where.items() if value)
            for player in body.players:
                yield f"{player.seat}: {player.name} {player.number}".rstrip()
        case entries.PhotoAdded() as body:
            photo = body.photo
            yield f"{photo.name}, {photo.width} × {photo.height}, SHA-256 {photo.sha256}"
        case entries.PhotoRead() as body:
            read = body.reading
            sure = "certain" if read.certain else "not certain"
            hand = read.hands[0].notation if read.hands else "no legal hand"
            yield f"{body.model.name} {body.model.version}: {hand} ({sure})"
        case entries.Scored() as body:
            yield _result(body.result)
        case entries.CorrectionProposed() as body:
            yield f"{_result(body.before)} → {_result(body.after)}"
            yield from (f"{one.en} · {one.zh}" for one in changes(body.before, body.after))
            yield f"because: {body.reason}"
        case entries.CorrectionDecided() as body:
            verdict = "accepted" if body.accepted else "rejected"
            yield f"proposal {body.proposal} {verdict}" + (f": {body.reason}" * bool(body.reason))
        case entries.Claimed() as body:
            fans = f" ({'、'.join(body.fans)})" if body.fans else ""
            yield f"{body.by} claims {body.total} {body.unit}{fans} {body.text}".rstrip()
        case entries.Objected() as body:
            to = "" if body.entry is None else f" to entry {body.entry}"
            yield f"{body.by} objects{to}: {body.what}"
            yield f"because: {body.reason}"
        case entries.Ruled() as body:
            yield from _ruling(body)
        case entries.Noted() as body:
            yield body.text
        case entries.Closed() | entries.Reopened() as body:
            yield body.reason
        case entries.KeyChanged() as body:
            for one in body.certificates:
                old, new = (PublicKey.from_text(key).fingerprint for key in (one.follows, one.key))
                yield f"{old} → {new}" + ("" if one.signature else " (the old key was lost)")
        case entries.KeyIntroduced() as body:
            yield f"{body.holder}: {PublicKey.from_text(body.key).fingerprint}"


_PLACE = ("tournament", "session", "table", "round", "hand", "winner", "discarder")


def _won_how(circumstances: CircumstancesModel) -> str:
    return "; ".join(one.en for one in circumstance_words(circumstances)) or "nothing special"


def _ruling(body: entries.Ruled) -> Iterator[str]:
    total = "" if body.total is None else f", {body.total} {body.unit}"
    yield f"{body.outcome.replace('_', ' ')}{total}: {body.reason} {body.clause}".rstrip()
    if body.fine is not None:
        points = "" if body.fine.points is None else f", {body.fine.points} points"
        yield f"fine: {body.fine.rules}/{body.fine.offence}{points} ({body.fine.clause})"
    if body.leaves_open:
        yield f"left open: {', '.join(map(str, body.leaves_open))}"
