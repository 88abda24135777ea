"""Carries out readings and operator commands: makes and rescores proposals, puts them on air."""

from __future__ import annotations

from dataclasses import replace

from hupai.api.answers.requests import hand_of_notation, rule_set, won_with
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.overlay.running_scores import board_of_session
from hupai.api.overlay.schemas import (
    Approve,
    Card,
    Circumstance,
    Command,
    Correct,
    Freeze,
    Hide,
    Now,
    Player,
    Proposal,
    Reject,
    SeatState,
    Settle,
    TableSettings,
    TableState,
    TakeScores,
    Undo,
)
from hupai.api.overlay.store.errors import UnknownSeatError
from hupai.api.overlay.store.overlay_store import OverlayStore
from hupai.api.overlay.table_reader import AcceptedReading
from hupai.api.overlay.viewer_json import card_tiles, hand_card, other_tiles, tiles_card
from hupai.api.storage.base import now
from hupai.scoring import rule_sets
from hupai.scoring.hand import Hand
from hupai.scoring.notation import format_hand, parse_hand
from hupai.scoring.result import Severity
from hupai.scoring.tiles import Tile

DOUBTFUL = 0.9
"""Tiles with a confidence below this are shown to the operator as doubtful."""


def proposal_of_sighting(state: TableState, seen: AcceptedReading) -> Proposal:
    """Build the proposal for a seat from an accepted reading.

    Raises:
        UnknownSeatError: if the table no longer has this seat.
    """
    place = seat_of(state, seen.seat)
    rules = rule_sets.get(seen.rules)
    reading = seen.sighting.reading
    hand = seen.sighting.hand
    others = other_tiles(reading)
    if hand is None:
        card = tiles_card(place.seat, place.player, reading, rules)
    else:
        given = place.circumstances.to_circumstances()
        card = hand_card(
            place.seat, place.player, hand, rules, given, visible(state, place.seat, others)
        )
    reported = [problem for problem in reading.problems if problem.severity is not Severity.NOTE]
    shown = [tile for tile in reading.tiles if tile.in_hand] or list(reading.tiles)
    return Proposal(
        number=0,
        empty=not shown,
        notation=None if hand is None else format_hand(hand),
        certain=reading.certain,
        doubts=[
            tile.tile.code
            for tile in shown
            if tile.confidence < DOUBTFUL and tile.tile is not Tile.BACK
        ],
        problems=[problem.message for problem in reported],
        problems_zh=[problem.message_zh for problem in reported],
        card=card,
        at=now(),
        seen_ms=round(seen.seconds * 1000),
        other_tiles=others,
    )


def visible(state: TableState, seat: str, others: list[str]) -> list[Tile]:
    """List the visible tiles outside the seat's own hand: `others` beside it, and what the other
    seats show on air.
    """
    tiles = [Tile.from_code(code) for code in others]
    for place in state.seats:
        if place.seat != seat and place.on_air is not None:
            tiles += card_tiles(place.on_air)
    return tiles


def execute(store: OverlayStore, table: str, command: Command, author: str) -> None:
    """Execute a command of the operator.

    Raises:
        hupai.api.overlay.store.UnknownTableError, UnknownSeatError: if it does not exist.
        hupai.api.overlay.store.StaleProposalError: if a newer reading has arrived.
        hupai.api.web.problems.ApiProblem: for notation that cannot be parsed, or unknown rules.
    """
    match command:
        case Approve():
            store.approve(table, command.seat, command.proposal, author)
        case Reject():
            store.reject(table, command.seat, command.proposal)
        case Correct():
            _correct(store, table, command, author)
        case Circumstance():
            _circumstances(store, table, command, author)
        case Player():
            store.set_player(table, command.seat, command.player, author)
        case Hide():
            store.hide(table, command.seat, author)
        case Undo():
            store.undo(table, command.seat, author)
        case Freeze():
            store.freeze(table, command.seat, command.frozen)
        case Now():
            store.release_now(table, command.seat)
        case Settle():
            if command.settings.rules is not None:
                rule_set(command.settings.rules)
            store.change(table, command.settings, author)
        case TakeScores():
            board = board_of_session(store.state(table), command.session)
            store.change(table, TableSettings(board=board), author)


def _correct(store: OverlayStore, table: str, command: Correct, author: str) -> None:
    state = store.state(table)
    place = seat_of(state, command.seat)
    hand = hand_of_notation(command.notation)
    if command.winning_tile is not None:
        hand = won_with(hand, command.winning_tile)
    if command.circumstances is not None:
        store.set_circumstances(table, command.seat, command.circumstances)
    given = command.circumstances or place.circumstances
    others = place.proposal.other_tiles if place.proposal else []
    proposal = _entered(state, place, hand, given, others)
    _propose(store, table, command.seat, proposal, author if command.approve else None)


def _circumstances(store: OverlayStore, table: str, command: Circumstance, author: str) -> None:
    store.set_circumstances(table, command.seat, command.circumstances)
    state = store.state(table)
    place = seat_of(state, command.seat)
    before = place.proposal
    if before is None or before.notation is None:
        return
    scored = _entered(
        state, place, parse_hand(before.notation), command.circumstances, before.other_tiles
    )
    kept = before.model_copy(update={"card": scored.card})
    approved_by = author if command.approve else None
    _propose(store, table, command.seat, kept, approved_by, instead_of=before.number)


def _entered(
    state: TableState,
    place: SeatState,
    hand: Hand,
    circumstances: CircumstancesModel,
    others: list[str],
) -> Proposal:
    rules = rule_set(state.table.rules)
    given = circumstances.to_circumstances()
    card = hand_card(
        place.seat, place.player, hand, rules, given, visible(state, place.seat, others)
    )
    return Proposal(
        number=0,
        empty=False,
        notation=format_hand(hand),
        certain=True,
        corrected=True,
        card=card,
        at=now(),
        other_tiles=others,
    )


def _propose(
    store: OverlayStore,
    table: str,
    seat: str,
    proposal: Proposal,
    approved_by: str | None,
    instead_of: int | None = None,
) -> None:
    numbered = store.propose(table, seat, proposal, instead_of=instead_of)
    if approved_by is not None:
        store.approve(table, seat, numbered.number, approved_by)


def update_waits(store: OverlayStore, table: str) -> None:
    """Recompute the waits on air: the tiles left depend on what the other seats show."""
    state = store.state(table)
    rules = rule_set(state.table.rules)
    changed: list[Card] = []
    for place in state.seats:
        card = place.on_air
        if card is None or not card.waits:
            continue
        others = place.proposal.other_tiles if place.proposal else []
        seen = visible(state, place.seat, others)
        hand = hand_of_card(card)
        fresh = hand_card(
            place.seat, place.player, hand, rules, place.circumstances.to_circumstances(), seen
        )
        if fresh.waits != card.waits:
            changed.append(card.model_copy(update={"waits": fresh.waits}))
    if changed:
        store.replace_on_air(table, changed, "reader")


def hand_of_card(card: Card) -> Hand:
    """Return the hand of 13 that a card shows; its waits do not depend on claim sources."""
    melds = " ".join(
        f"({''.join(meld.tiles[1:3])}{meld.tiles[1].replace('0', '5') * 2})"
        if meld.kind == "concealed_kong"
        else f"[{''.join(meld.tiles)}]"
        for meld in card.melds
    )
    hand = parse_hand(f"{''.join(card.concealed)} {melds}".strip())
    return replace(hand, flowers=tuple(Tile.from_code(code) for code in card.flowers))


def seat_of(state: TableState, seat: str) -> SeatState:
    """Return the seat of that name.

    Raises:
        UnknownSeatError: if the table has none.
    """
    for place in state.seats:
        if place.seat == seat:
            return place
    raise UnknownSeatError(seat)
