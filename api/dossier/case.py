"""Derives the state of a case from its log. Pure: the same log gives the same case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from hupai.api.dossier.chain.events import (
    REFEREE_ONLY,
    Author,
    Claimed,
    Closed,
    CorrectionDecided,
    CorrectionProposed,
    Event,
    KeyChanged,
    KeyIntroduced,
    Noted,
    Objected,
    Opened,
    PhotoAdded,
    PhotoRead,
    PhotoRecord,
    PlayedAt,
    Reopened,
    ResultRecord,
    Ruled,
    Scored,
)
from hupai.api.dossier.chain.hash_chain import Fault, SignedEvent
from hupai.api.dossier.chain.signers import Signer, SignerError
from hupai.api.dossier.chain.signers import follow as follow_signers
from hupai.scoring.errors import HupaiError


class CaseState(Enum):
    """The status of a case."""

    OPEN = "open"
    RULED = "ruled"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class CasePhoto:
    """A photo of the case, and what was read on it (None: not read yet)."""

    record: PhotoRecord
    added: Event
    read: PhotoRead | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """A proposal and, once it is made, the decision on it."""

    event: Event
    proposal: CorrectionProposed
    decision: CorrectionDecided | None = None
    decided: Event | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, and the number of its event."""

    event: Event
    claim: Claimed


@dataclass(frozen=True, slots=True)
class Objection:
    """An objection, and the number of its event; open until a later ruling."""

    event: Event
    objection: Objected


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruling, and the number of its event."""

    event: Event
    ruling: Ruled


@dataclass(frozen=True, slots=True)
class Case:
    """The state of a case after the events of its log.

    Attributes:
        id: id of the case.
        opened: the first event.
        opening: its body.
        photos: in the order they were added.
        computed: the score of the likeliest reading, as it was before any correction; None if no
            hand was read.
        standing: the result that holds now, with the corrections that were accepted.
        corrections: in the order proposed.
        claims: in the order made.
        objections: in the order made.
        rulings: in the order made; the last holds.
        notes: remarks.
        place: where the hand was played, and by whom.
        state: open, ruled or closed.
        head: hash of the last event.
        kinds: the kind of each entry, by its number.
        last: the last event.
        signers: the keys that sign it, in the order they came.
    """

    id: str
    opened: Event
    opening: Opened
    head: str
    last: Event
    photos: tuple[CasePhoto, ...] = ()
    place: PlayedAt = field(default_factory=PlayedAt)
    computed: ResultRecord | None = None
    standing: ResultRecord | None = None
    corrections: tuple[Correction, ...] = ()
    claims: tuple[Claim, ...] = ()
    objections: tuple[Objection, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    notes: tuple[Event, ...] = ()
    state: CaseState = CaseState.OPEN
    kinds: tuple[str, ...] = ()
    signers: tuple[Signer, ...] = ()

    def photo(self, sha256: str) -> CasePhoto | None:
        """Return the photo with this hash."""
        return next((photo for photo in self.photos if photo.record.sha256 == sha256), None)

    @property
    def events(self) -> int:
        """How many entries the log has."""
        return len(self.kinds)

    def open_proposal(self, seq: int) -> Correction | None:
        """Return the proposal of event `seq` if it is not decided yet."""
        return next(
            (one for one in self.corrections if one.event.seq == seq and one.decision is None), None
        )

    @property
    def undecided(self) -> tuple[int, ...]:
        """The numbers of the corrections that nobody decided on."""
        return tuple(one.event.seq for one in self.corrections if one.decision is None)

    @property
    def unanswered(self) -> tuple[int, ...]:
        """The numbers of the objections that no later ruling answers."""
        ruled = self.rulings[-1].event.seq if self.rulings else -1
        return tuple(one.event.seq for one in self.objections if one.event.seq > ruled)

    @property
    def ruling(self) -> Ruling | None:
        """The ruling in force: the last one."""
        return self.rulings[-1] if self.rulings else None

    @property
    def photos_agree(self) -> bool:
        """False if two photos of the hand were read as different hands."""
        read = [photo.read.reading for photo in self.photos if photo.read is not None]
        return len({one.hands[0].notation for one in read if one.hands}) <= 1


class LogError(HupaiError):
    """An event that is not allowed at its place in the log; `fault` says which and why."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.message)


def fold(events: Iterable[SignedEvent]) -> Case:
    """Build the case that a checked log describes.

    Raises:
        LogError: an event breaks the rules of the log: it needs a referee, refers to what is not
            there, or does not fit.
    """
    case: Case | None = None
    for signed in events:
        case = follow(case, signed.event, signed.hash)
    if case is None:
        raise LogError(Fault("log_empty", "event 0", "The log has no event.", "案卷为空。"))
    return case


def follow(case: Case | None, event: Event, head: str) -> Case:
    """Return the case after one more event; see `fold` for what it raises."""
    body = event.body
    try:
        signers = follow_signers(() if case is None else case.signers, event)
    except SignerError as error:
        raise _wrong(event, str(error), error.zh) from None
    if case is None:
        if not isinstance(body, Opened):
            raise _wrong(event, "the first event does not open the case", "首条不是立案")
        return Case(event.case, event, body, head, event, kinds=(body.kind,), signers=signers)
    if isinstance(body, Opened):
        raise _wrong(event, "the case is open already", "案卷已立")
    of_keys = isinstance(body, KeyChanged | KeyIntroduced)
    if case.state is CaseState.CLOSED and not (of_keys or isinstance(body, Reopened)):
        raise _wrong(event, "the case is closed", "案卷已结")
    if isinstance(body, REFEREE_ONLY) and event.author.role != "referee":
        raise _wrong(
            event,
            f"only a referee may do this, {event.author.shown} is {event.author.role}",
            "此事只有裁判可做",
        )
    changed = case if of_keys else _changed(case, event)
    kinds = (*case.kinds, body.kind)
    return replace(changed, head=head, last=event, kinds=kinds, signers=signers)


def _changed(case: Case, event: Event) -> Case:
    """Return the parts of the case that the event changes."""
    match event.body:
        case PhotoAdded() as body:
            if case.photo(body.photo.sha256) is not None:
                raise _wrong(event, "this photo is in the case already", "照片已在案")
            return replace(case, photos=(*case.photos, CasePhoto(body.photo, event)))
        case PhotoRead() as body:
            return _with_reading(case, event, body)
        case Scored() as body:
            return _with_score(case, event, body)
        case CorrectionProposed() as body:
            if body.before != case.standing:
                raise _wrong(
                    event, "what it says stood before is not what stood", "更正前的结果与案卷不符"
                )
            return replace(case, corrections=(*case.corrections, Correction(event, body)))
        case CorrectionDecided() as body:
            return _with_decision(case, event, body)
        case Ruled() as body:
            return replace(
                case, rulings=(*case.rulings, Ruling(event, body)), state=CaseState.RULED
            )
        case Closed():
            return replace(case, state=CaseState.CLOSED)
        case Reopened():
            if case.state is not CaseState.CLOSED:
                raise _wrong(event, "the case is not closed", "案卷未结")
            return replace(case, state=CaseState.RULED if case.rulings else CaseState.OPEN)
    return _told(case, event)


def _told(case: Case, event: Event) -> Case:
    """Return the case after a statement: a claim, a remark, where it was played."""
    match event.body:
        case Claimed() as body:
            return replace(case, claims=(*case.claims, Claim(event, body)))
        case Objected() as body:
            if body.entry is not None and body.entry >= event.seq:
                raise _wrong(
                    event, "it objects to an entry that is not there", "所异议的记录不存在"
                )
            return replace(case, objections=(*case.objections, Objection(event, body)))
        case Noted():
            return replace(case, notes=(*case.notes, event))
        case PlayedAt() as body:
            own = event.author.name == case.opened.author.name
            if event.author.role == "player" and not own:
                raise _wrong(
                    event,
                    "only who opened the case, or a referee, says where it was played",
                    "只有立案人或裁判可填写赛事信息",
                )
            return replace(case, place=body)
    raise AssertionError(event.body.kind)


def _with_reading(case: Case, event: Event, body: PhotoRead) -> Case:
    photo = case.photo(body.photo)
    if photo is None or photo.read is not None:
        raise _wrong(
            event,
            "it reads a photo that is not in the case, or was read before",
            "所读照片不在案或已读过",
        )
    photos = tuple(replace(one, read=body) if one is photo else one for one in case.photos)
    return replace(case, photos=photos)


def _with_score(case: Case, event: Event, body: Scored) -> Case:
    photo = case.photo(body.photo)
    hands = photo.read.reading.hands if photo is not None and photo.read is not None else ()
    if not hands or hands[0].notation != body.result.notation:
        raise _wrong(
            event,
            "the hand that it scores is not the likeliest of that reading",
            "所计之牌不是该照片的首选识别结果",
        )
    corrected = any(one.decision is not None and one.decision.accepted for one in case.corrections)
    return replace(case, computed=body.result, standing=case.standing if corrected else body.result)


def _with_decision(case: Case, event: Event, body: CorrectionDecided) -> Case:
    open_one = case.open_proposal(body.proposal)
    if open_one is None:
        raise _wrong(
            event,
            f"there is no open proposal in event {body.proposal}",
            f"第 {body.proposal} 条没有待决的更正",
        )
    after = open_one.proposal.after if body.accepted else case.standing
    if body.before != case.standing or body.after != after:
        raise _wrong(
            event,
            "the results it gives before and after are not those of the case",
            "所记前后结果与案卷不符",
        )
    decided = replace(open_one, decision=body, decided=event)
    corrections = tuple(decided if one is open_one else one for one in case.corrections)
    return replace(case, corrections=corrections, standing=body.after)


def _wrong(event: Event, reason: str, reason_zh: str) -> LogError:
    where = f"event {event.seq}"
    kind = event.body.kind
    return LogError(
        Fault(
            "log_rules",
            where,
            f"{where} ({kind}): {reason}.",
            f"第 {event.seq} 条（{kind}）：{reason_zh}。",
        )
    )


def authors(case: Case) -> tuple[Author, ...]:
    """List opener, proposers, deciders, claimants and referees, each once."""
    events = [case.opened]
    events += [
        event for one in case.corrections for event in (one.event, one.decided) if event is not None
    ]
    events += [*(claim.event for claim in case.claims), *(ruling.event for ruling in case.rulings)]
    events += [objection.event for objection in case.objections]
    return tuple(dict.fromkeys(event.author for event in events))
