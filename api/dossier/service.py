"""Cases as the routes see them: acts of a principal on the store, as JSON, with what goes wrong as
problems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from threading import Lock
from typing import get_args

from hupai.api.answers.requests import hand_of_notation, rule_set, won_with
from hupai.api.auth.principal import Principal
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.dossier import commands
from hupai.api.dossier.case import Case, LogError
from hupai.api.dossier.chain import log as logs
from hupai.api.dossier.chain.events import (
    Author,
    Body,
    Claimed,
    Closed,
    FineRecord,
    Noted,
    PlayedAt,
    Reopened,
    Role,
    Ruled,
    Unit,
)
from hupai.api.dossier.chain.key_ring import KeyRing, PersonalKey
from hupai.api.dossier.chain.keys import FILE_NAME, KeyFileError, PublicKey
from hupai.api.dossier.chain.log import BrokenLogError, Log
from hupai.api.dossier.false_win import (
    READY_FORM_ZH,
    FalseWinHelp,
    OthersReady,
    fine_record,
    help_with,
    ready_players,
)
from hupai.api.dossier.photo_records import photo_record
from hupai.api.dossier.recorded_scores import RulesGoneError, rules_of
from hupai.api.dossier.report.wording import Language
from hupai.api.dossier.report.zones import NO_ZONE_ZH, zone_of
from hupai.api.dossier.schemas import (
    ClaimRequest,
    CorrectionRequest,
    DecisionRequest,
    FineRequest,
    NoteRequest,
    ObjectionRequest,
    PlaceRequest,
    RulingRequest,
    StateRequest,
)
from hupai.api.dossier.store import CaseMissingError, CaseMovedError, CaseStore, CaseSummary
from hupai.api.hands.photo_work.decoding import Decoding
from hupai.api.storage import PhotoMissingError, Storage, new_id
from hupai.api.storage.base import now
from hupai.api.web.problem_types import (
    CASE_BROKEN,
    CASE_MOVED,
    CASE_REFUSED,
    NOT_FOUND,
    SIGNING_KEY,
)
from hupai.api.web.problems import ApiProblem, invalid_field
from hupai.scoring.result import RuleSet
from hupai.scoring.rule_sets import all_rules, family_of
from hupai.vision.types import PhotoReading

_UNITS: dict[str, Unit] = {unit: unit for unit in get_args(Unit)}


class CaseService:
    """What people do with cases. All of it blocks: routes run it in threads.

    Args:
        storage: where cases are kept.

    Attributes:
        decoding: limits for photos, and turns to decode them.
        signer: a person's key that signs what is done; None for the installation's.
    """

    def __init__(self, storage: Storage, decoding: Decoding) -> None:
        self._storage = storage
        self.decoding = decoding
        self._lock = Lock()
        self._store: CaseStore | None = None
        self._opened_at = 0
        self.signer: PersonalKey | None = None

    @property
    def store(self) -> CaseStore:
        """Return the cases; the installation's key is created or opened when first needed.

        Raises:
            ApiProblem: ``signing-key``.
        """
        with self._lock:
            written = self._written_at()
            if self._store is None or written != self._opened_at:
                with _key_problems():
                    ring = KeyRing(self._storage.folder)
                    newest = CaseStore.newest_key(self._storage)
                    key = ring.installation_key([] if newest is None else [newest])
                self._store = CaseStore(self._storage, key, ring.certificates)
                self._opened_at = self._written_at()
            return self._store

    def _written_at(self) -> int:
        """When the key was last written: a key that is replaced while the service runs is read
        anew.
        """
        try:
            return (self._storage.folder / FILE_NAME).stat().st_mtime_ns
        except OSError:
            return 0

    def ring(self) -> KeyRing:
        """Return the keys in the data folder."""
        with _key_problems():
            return KeyRing(self._storage.folder)

    def change_key(self) -> tuple[PublicKey, PublicKey]:
        """Replace the installation's key by a new one that it signs; return both."""
        self.store  # noqa: B018 - refuses where the key at hand is not the one that signs
        with _key_problems():
            return KeyRing(self._storage.folder).rotate(now())

    def accept_lost_key(self) -> PublicKey:
        """Continue without the lost keys; return the key that signs from now on."""
        with _key_problems():
            lost = CaseStore.keys(self._storage)
            return KeyRing(self._storage.folder).accept_loss(lost, now())

    def open(
        self,
        who: Author,
        title: str,
        rules: RuleSet,
        won_how: CircumstancesModel,
        photos: Sequence[tuple[str, bytes, PhotoReading]],
        house: str | None = None,
        place: PlayedAt | None = None,
        zone: str = "",
    ) -> Log:
        """Open a case with these photos: name, bytes, reading.

        `house` is the text of a house-rule file, `place` says where the hand was played, `zone` is
        the time zone there.
        """
        with _problems():
            bodies: list[Body] = [commands.opening(title, rules, won_how, house, known_zone(zone))]
            for name, data, reading in photos:
                known = logs.begin(new_id(), bodies, who, self.store.key, now()).case
                with self.decoding.turn():
                    record = photo_record(data, name, self.decoding.limits)
                bodies += commands.more_photos(known, record, reading)
            if place is not None and place != PlayedAt():
                bodies.append(place)
            return self.store.open(bodies, who, [data for _, data, _ in photos], self.signer)

    def add_photo(
        self,
        case: str,
        who: Author,
        name: str,
        data: bytes,
        reading: PhotoReading,
        head: str | None,
    ) -> Log:
        """Add a further photo of the same hand."""
        with self.decoding.turn():
            record = photo_record(data, name, self.decoding.limits)
        return self._extend(
            case, who, lambda known: commands.more_photos(known, record, reading), head, [data]
        )

    def check_access(self, case: str, who: Principal) -> None:
        """Check that the caller may see a case: who opened it, referees and operators may.

        Raises:
            ApiProblem: ``not-found``, as for a case that does not exist.
        """
        if not who.scopes & {"referee", "operator"} and self.store.author(case) != who.name:
            raise unknown_case()

    def read(self, case: str) -> Log:
        """Return the log of a case."""
        with _problems():
            return self.store.read(case)

    def list(
        self, limit: int, before: str | None, state: str | None, author: str | None
    ) -> tuple[CaseSummary, ...]:
        """List cases, the newest first."""
        return self.store.list(limit, before, state, author)

    def propose(self, case: str, who: Author, wanted: CorrectionRequest) -> Log:
        """Add a correction for a referee to decide on."""

        def make(known: Case) -> list[Body]:
            hand = wanted.hand.to_hand() if wanted.hand is not None else None
            if wanted.notation is not None:
                hand = hand_of_notation(wanted.notation)
            if wanted.winning_tile is not None:
                base = hand or (
                    known.standing.hand.to_hand() if known.standing is not None else None
                )
                if base is None:
                    raise ApiProblem(
                        CASE_REFUSED,
                        "No hand stands in this case: give the whole hand.",
                        "案卷中尚无手牌，请给出整副牌。",
                    )
                hand = won_with(base, wanted.winning_tile)
            return [
                commands.proposal(known, hand, wanted.circumstances, wanted.reason, wanted.changes)
            ]

        return self._extend(case, who, make, wanted.head)

    def decide(self, case: str, who: Author, number: int, wanted: DecisionRequest) -> Log:
        """Add a referee's decision on a proposal."""
        return self._extend(
            case,
            who,
            lambda known: [commands.decision(known, number, wanted.accepted, wanted.reason)],
            wanted.head,
        )

    def claim(self, case: str, who: Author, wanted: ClaimRequest) -> Log:
        """Add a claim: what a player says the hand scores."""

        def make(known: Case) -> list[Body]:
            unit = wanted.unit or _unit(known)
            return [
                Claimed.model_validate(
                    wanted.model_dump(exclude={"stated", "head", "unit"}) | {"unit": unit}
                )
            ]

        return self._extend(case, who, make, wanted.head)

    def object(self, case: str, who: Author, wanted: ObjectionRequest) -> Log:
        """Add a player's objection."""
        given = wanted.model_dump(exclude={"stated", "head"})
        return self._extend(
            case, who, lambda known: [commands.objection(known, **given)], wanted.head
        )

    def rule(self, case: str, who: Author, wanted: RulingRequest) -> Log:
        """Add a referee's ruling."""

        def make(known: Case) -> list[Body]:
            left = _left_open(known.undecided, wanted.leave_open)
            standing = known.standing.score if known.standing is not None else None
            worth = standing.total if standing is not None and wanted.outcome == "win" else 0
            fine = self._fine(known, wanted.fine) if wanted.fine is not None else None
            total = worth if wanted.total is None else wanted.total
            return [
                Ruled(
                    outcome=wanted.outcome,
                    total=None if wanted.outcome == "void" else total,
                    unit=_unit(known),
                    reason=wanted.reason,
                    clause=wanted.clause,
                    fine=fine,
                    leaves_open=left,
                )
            ]

        return self._extend(case, who, make, wanted.head)

    def place(self, case: str, who: Author, wanted: PlaceRequest) -> Log:
        """Record where the hand was played and by whom; omitted fields stay unchanged."""

        def make(known: Case) -> list[Body]:
            given = wanted.model_dump(exclude={"stated", "head"}, exclude_none=True)
            return [PlayedAt.model_validate(known.place.model_dump() | given)]

        return self._extend(case, who, make, wanted.head)

    def note(self, case: str, who: Author, wanted: NoteRequest) -> Log:
        """Add a remark."""
        return self._extend(case, who, lambda _: [Noted(text=wanted.text)], wanted.head)

    def set_state(self, case: str, who: Author, wanted: StateRequest) -> Log:
        """Close or reopen the case."""

        def make(known: Case) -> list[Body]:
            if not wanted.closed:
                return [Reopened(reason=wanted.reason)]
            left = _left_open((*known.undecided, *known.unanswered), wanted.leave_open)
            return [Closed(reason=wanted.reason, leaves_open=left)]

        return self._extend(case, who, make, wanted.head)

    def false_win(
        self, case: Case, offender_is_dealer: bool | None, ready: Sequence[OthersReady]
    ) -> tuple[FalseWinHelp, ...]:
        """Return what the standing hand lacked under each rule set, that of the case first.

        Empty if no hand stands.
        """
        if case.standing is None:
            return ()
        own = _rules(case)
        chosen = [own, *(rules for rules in all_rules() if rules.id != own.id)]
        hand, won_how = case.standing.hand.to_hand(), case.standing.circumstances.to_circumstances()
        return tuple(
            help_with(one, hand, won_how, offender_is_dealer=offender_is_dealer, ready=ready)
            for one in chosen
        )

    def report(self, case: Case, link: str, language: Language, zone: str = "") -> bytes:
        """Return the report as PDF, with times in `zone` or that of the case; a photo that is gone
        is named, not shown.
        """
        zone = known_zone(zone)
        photos = {}
        for photo in case.photos:
            try:
                photos[photo.record.sha256] = self.store.photo(photo.record.sha256)
            except PhotoMissingError:
                continue
        # Importing the PDF library and its fonts would take a twentieth of the start-up time.
        build = import_module("hupai.api.dossier.report.build")
        return bytes(build.report(case, photos, link, language, zone))

    def export(self, case: str) -> bytes:
        """Return the bundle."""
        with _problems():
            return self.store.export(case)

    def photo(self, case: Case, sha256: str) -> bytes:
        """Return the bytes of a photo of the case."""
        if case.photo(sha256) is None:
            raise ApiProblem(
                NOT_FOUND, "The case has no photo with this hash.", "案卷中没有这张照片。"
            )
        with _problems():
            return self.store.photo(sha256)

    def _extend(
        self,
        case: str,
        who: Author,
        make: Callable[[Case], Sequence[Body]],
        head: str | None,
        photos: Sequence[bytes] = (),
    ) -> Log:
        with _problems():
            return self.store.extend(case, make, who, photos, head, self.signer)

    def _fine(self, case: Case, wanted: FineRequest) -> FineRecord:
        """Return the fine as the rules state it, with the referee's points where they leave them
        open.
        """
        try:
            ready = ready_players(wanted.ready)
        except ValueError as error:
            raise invalid_field("fine.ready", str(error), READY_FORM_ZH) from None
        if wanted.rules != case.opening.rules.id:  # a house's own rules are known to the case alone
            rule_set(wanted.rules)
        helped = self.false_win(case, wanted.offender_is_dealer, ready)
        choices = next((one.choices for one in helped if one.rules == wanted.rules), ())
        choice = next((one for one in choices if one.offence == wanted.offence), None)
        if choice is None:
            known = ", ".join(one.offence for one in choices) or "none"
            raise ApiProblem(
                CASE_REFUSED,
                f"Under {wanted.rules} this hand gives no fine {wanted.offence!r}; "
                f"there are: {known}.",
                "此规则下没有这项处罚。",
            )
        return fine_record(wanted.rules, choice, wanted.points)


def unknown_case() -> ApiProblem:
    """Return the problem of a case that does not exist, or that the caller may not see."""
    return ApiProblem(NOT_FOUND, "There is no case with this id.", "没有这个案卷。")


def author_of(who: Principal, stated: str = "") -> Author:
    """Return the caller as the log names them."""
    role: Role = (
        "referee"
        if "referee" in who.scopes
        else "operator"
        if "operator" in who.scopes
        else "player"
    )
    return Author(name=who.name, role=role, stated=stated.strip())


def known_zone(name: str) -> str:
    """Return the name of a time zone if it is one.

    Raises:
        ApiProblem: ``invalid-request``.
    """
    try:
        zone_of(name)
    except ValueError as error:
        raise invalid_field("zone", str(error), NO_ZONE_ZH) from None
    return name


def _rules(case: Case) -> RuleSet:
    try:
        return rules_of(case.opening.rules)
    except RulesGoneError as error:
        raise ApiProblem(
            CASE_REFUSED,
            f"The rules of the case are not known here: {error}.",
            "本服务没有此案卷的规则。",
        ) from None


def _left_open(numbers: Sequence[int], allowed: bool) -> tuple[int, ...]:
    """Return what is left undecided, if that is allowed.

    Raises:
        ApiProblem: ``case-refused``, with the numbers.
    """
    if numbers and not allowed:
        listed = ", ".join(map(str, sorted(numbers)))
        raise ApiProblem(
            CASE_REFUSED,
            f"Entries {listed} are not decided: decide on them first, or leave them open "
            "(leave_open, --leave-open).",
            f"第 {listed} 条尚未决定：请先决定，或注明保留未决（leave_open、--leave-open）。",
            extra={"undecided": sorted(numbers)},
        )
    return tuple(sorted(numbers))


def _unit(case: Case) -> Unit:
    """Return the unit of the case's rules."""
    if case.standing is not None and case.standing.score is not None:
        return _UNITS[case.standing.score.unit]
    family = family_of(case.opening.rules.id)
    return "fan" if family is None else _UNITS[family.unit]


@contextmanager
def _key_problems() -> Iterator[None]:
    try:
        yield
    except (KeyFileError, OSError) as error:
        raise ApiProblem(
            SIGNING_KEY, "The installation's signing key cannot be used.", "签名密钥不可用。"
        ) from error


@contextmanager
def _problems() -> Iterator[None]:
    """Turn errors of the store and the log into problems of the service."""
    try:
        yield
    except KeyFileError as error:
        raise ApiProblem(
            SIGNING_KEY, "The installation's signing key cannot be used.", "签名密钥不可用。"
        ) from error
    except CaseMissingError:
        raise unknown_case() from None
    except CaseMovedError as error:
        detail = "Somebody wrote in the case since you fetched it."
        raise ApiProblem(
            CASE_MOVED, detail, "案卷在您读取之后已有新记录。", extra={"head": error.head}
        ) from None
    except commands.NothingChangedError:
        raise ApiProblem(
            CASE_REFUSED, "The correction changes nothing.", "更正没有改变任何内容。"
        ) from None
    except commands.NoSuchProposalError:
        raise ApiProblem(
            CASE_REFUSED, "There is no open proposal with this number.", "没有这个待决的更正。"
        ) from None
    except commands.NotContestableError as error:
        extra = {"entries": error.entries}
        raise ApiProblem(CASE_REFUSED, str(error), error.zh, extra=extra) from None
    except LogError as error:
        raise ApiProblem(CASE_REFUSED, error.fault.message, error.fault.message_zh) from None
    except BrokenLogError as error:
        raise ApiProblem(
            CASE_BROKEN,
            error.fault.message,
            error.fault.message_zh,
            extra={"where": error.fault.where},
        ) from None
    except PhotoMissingError:
        raise ApiProblem(
            NOT_FOUND, "A photo of the case is gone from the storage.", "案卷的照片已不在存储中。"
        ) from None
