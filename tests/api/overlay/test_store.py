"""What the store of the overlay puts on air: undo, names, order, and two writers at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hupai.api.overlay import commands
from hupai.api.overlay.commands import execute
from hupai.api.overlay.schemas import COMMAND, EventOut, Proposal, SeatIn, TableIn, TableSettings
from hupai.api.overlay.store.errors import (
    StaleProposalError,
    TableExistsError,
    UnknownSeatError,
    UnknownTableError,
)
from hupai.api.overlay.store.overlay_store import OverlayStore
from hupai.api.overlay.viewer_json import hand_card
from hupai.api.storage.database import Database
from tests.api import postgres
from tests.api.overlay.service import READY, WON

SEATS = [SeatIn(seat="east", player="Lin"), SeatIn(seat="west", player="Chen")]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OverlayStore]:
    """A store with the table ``final``, in a database of each kind."""
    url = (
        f"sqlite:///{tmp_path / 'club.sqlite3'}"
        if request.param == "sqlite"
        else postgres.fresh(request.getfixturevalue("postgresql"))
    )
    database = Database(url)
    database.migrate()
    made = OverlayStore(database)
    made.create(TableIn(id="final", seats=SEATS))
    yield made
    database.close()


def do(store: OverlayStore, what: str, seat: str | None = "east", **more: object) -> None:
    """One command of the operator."""
    named = {} if seat is None else {"seat": seat}
    execute(store, "final", COMMAND.validate_python({"do": what, **named, **more}), "operator")


def enter(store: OverlayStore, notation: str, seat: str = "east", **more: object) -> Proposal:
    """Enter a hand; its proposal."""
    do(store, "correct", seat, notation=notation, **more)
    proposal = commands.seat_of(store.state("final"), seat).proposal
    assert proposal is not None
    return proposal


def released(store: OverlayStore) -> list[EventOut]:
    """What goes on air now."""
    return [event for _, event in store.release_due()[0]]


def shown(store: OverlayStore, seat: str = "east") -> tuple[str, str | None] | None:
    """Player and winning tile of the hand on air at a seat."""
    card = commands.seat_of(store.state("final"), seat).on_air
    return None if card is None else (card.player, card.winning_tile)


def test_undo_passes_over_waits_that_were_only_recounted(store: OverlayStore) -> None:
    enter(store, WON, approve=True)
    released(store)
    enter(store, READY, approve=True)
    released(store)
    enter(store, "44s123m777m99p123p", "west", approve=True)
    released(store)
    commands.update_waits(store, "final")  # 4s, which east waits for, is in view now
    assert [event.seat for event in released(store)] == ["east"]
    do(store, "undo")
    released(store)
    assert shown(store) == ("Lin", "2m"), "the hand before, not the same one counted anew"


def test_undo_takes_back_a_proposal_that_was_approved_twice(store: OverlayStore) -> None:
    enter(store, READY, approve=True)
    released(store)
    number = enter(store, WON).number
    for _ in range(2):
        do(store, "approve", proposal=number)
        released(store)
    do(store, "undo")
    released(store)
    assert shown(store) == ("Lin", None), "a double click is one change"
    do(store, "undo")
    released(store)
    assert shown(store) == ("Lin", "2m"), "undone twice"


def test_undo_does_not_wait_for_what_is_queued_at_another_seat(store: OverlayStore) -> None:
    enter(store, WON, approve=True)
    released(store)
    store.change("final", TableSettings(delay_seconds=3600), "operator")
    enter(store, READY, "west", approve=True)
    released(store)
    do(store, "undo")
    assert [(event.kind, event.seat) for event in released(store)] == [("hide", "east")]
    assert [one.seat for one in store.state("final").queue] == ["west"]


def test_the_queue_names_no_change_of_the_table_itself(store: OverlayStore) -> None:
    store.change("final", TableSettings(delay_seconds=3600), "operator")
    enter(store, WON, approve=True)
    do(store, "player", player="Zhao")
    assert [one.seat for one in store.state("final").queue] == ["east"]
    assert [(event.kind, event.seat) for event in released(store)][-1] == ("table", None)


def test_a_new_name_holds_for_what_is_queued_and_for_undo(store: OverlayStore) -> None:
    enter(store, READY, approve=True)
    released(store)
    store.change("final", TableSettings(delay_seconds=3600), "operator")
    enter(store, WON, approve=True)
    do(store, "player", player="Zhao")
    do(store, "now")
    events = released(store)
    assert [event.card.player for event in events if event.card] == ["Zhao"]
    assert shown(store) == ("Zhao", "2m")
    do(store, "undo")
    (back,) = released(store)
    assert back.card is not None
    assert back.card.player == "Zhao"


def test_a_name_among_the_settings_is_on_air_at_once_too(store: OverlayStore) -> None:
    enter(store, WON, approve=True)
    released(store)
    renamed = [SeatIn(seat="east", player="Zhao"), SEATS[1]]
    store.change("final", TableSettings(seats=renamed), "operator")
    assert shown(store) == ("Zhao", "2m")
    proposal = commands.seat_of(store.state("final"), "east").proposal
    assert proposal is not None
    assert proposal.card.player == "Zhao"


def test_seats_that_are_removed_are_hidden_in_their_order(store: OverlayStore) -> None:
    names = [f"s{n}" for n in range(8)]
    store.change("final", TableSettings(seats=[SeatIn(seat=one) for one in names]), "operator")
    for one in names:
        enter(store, WON, one, approve=True)
    released(store)
    store.change("final", TableSettings(seats=[SeatIn(seat="other")]), "operator")
    hidden = [event.seat for event in released(store) if event.kind == "hide"]
    assert hidden == names


def test_commands_for_what_does_not_exist_are_refused(store: OverlayStore) -> None:
    for what in ("now", "hide", "undo", "freeze"):
        with pytest.raises(UnknownSeatError):
            do(store, what, "north")
    with pytest.raises(UnknownTableError):
        store.reject("none", "east", 1)
    with pytest.raises(UnknownTableError):
        store.set_circumstances("none", "east", SEATS[0].circumstances)


def test_circumstances_do_not_bring_back_a_hand_that_was_replaced(
    store: OverlayStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reading comes in between the operator's click and the score that follows from it."""
    enter(store, WON)
    score = hand_card

    def scored_late(*given: object, **more: object) -> object:
        monkeypatch.setattr(commands, "hand_card", score)
        enter(store, READY)
        return score(*given, **more)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(commands, "hand_card", scored_late)
    with pytest.raises(StaleProposalError):
        do(store, "circumstances", circumstances={"self_drawn": True}, approve=True)
    (place, _) = store.state("final").seats
    assert place.proposal is not None
    assert place.proposal.card.winning_tile is None, "the newer reading waits for the operator"
    assert released(store) == []


def at_once(*jobs: object) -> list[Exception]:
    """Run these at the same time; what they raised."""
    ready, raised = threading.Barrier(len(jobs)), list[Exception]()

    def run(job: object) -> None:
        assert callable(job)
        ready.wait(30)
        try:
            job()
        except Exception as error:  # noqa: BLE001 - handed to the test
            raised.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


def test_proposals_of_two_writers_have_numbers_of_their_own(store: OverlayStore) -> None:
    """Or an operator would put on air by its number a hand that is not the one on the screen."""
    proposal = enter(store, WON)
    numbers: list[int] = []
    jobs = [
        lambda: numbers.append(store.propose("final", "east", proposal).number) for _ in range(8)
    ]
    for _ in range(5):
        assert at_once(*jobs) == []
    assert len(numbers) == len(set(numbers)) == 40


def test_two_who_make_the_same_table_at_once(store: OverlayStore) -> None:
    for number in range(5):
        table = TableIn(id=f"t{number}")
        raised = at_once(*[lambda table=table: store.create(table)] * 4)
        assert [type(error) for error in raised] == [TableExistsError] * 3
