"""The log: canonical, signed, chained; and the rules of what may follow what."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.api.dossier import commands
from hupai.api.dossier.case import CaseState, LogError
from hupai.api.dossier.chain import log
from hupai.api.dossier.chain.canonical import NotCanonicalError, canonical, digest, parse_canonical
from hupai.api.dossier.chain.events import Body, Claimed, Closed, Noted, Reopened, Ruled, Scored
from hupai.api.dossier.chain.hash_chain import check, sign
from hupai.scoring.notation import parse_hand
from tests.api.dossier.cases import BEGIN, CASE, PLAYER, REFEREE, WON, key, opened, ruled

EVENTS = 14
"""How many `ruled` has."""

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def encodable(value: Any) -> bool:
    """False for lone surrogates, which UTF-8 cannot hold."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode() == json.dumps(
        value, ensure_ascii=False
    )


@given(JSON.filter(encodable))
def test_canonical_bytes_read_back_as_themselves(value: Any) -> None:
    assert canonical(parse_canonical(canonical(value))) == canonical(value)


@pytest.mark.parametrize(
    "text",
    [
        '{"b":1,"a":2}',
        '{"a": 1}',
        '{"a":1.0}',
        '{"a":1,"a":1}',
        "[1,]",
        '"\\u0041"',
        "",
        "NaN",
        "[1]\n",
    ],
)
def test_json_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(NotCanonicalError):
        parse_canonical(text.encode())


def test_members_are_in_order_and_numbers_as_in_the_standard() -> None:
    assert (
        canonical({"b": 1.0, "a": [1e-7, 333333333.3333333, "€"]})
        == '{"a":[1e-7,333333333.3333333,"€"],"b":1}'.encode()
    )


def test_a_log_is_valid_and_reads_back() -> None:
    lines = ruled().lines
    events, fault = check(lines)
    assert fault is None
    assert len(lines) == EVENTS
    assert [event.event.seq for event in events] == list(range(len(lines)))
    assert log.read(lines).case == ruled().case


def test_every_event_carries_the_hash_of_the_one_before() -> None:
    events = ruled().events
    for before, after in pairwise(events):
        assert (
            after.event.prev == before.hash == digest(canonical(json.loads(before.line)["event"]))
        )


@pytest.mark.parametrize("removed", range(EVENTS - 1))
def test_a_removed_event_is_detected(removed: int) -> None:
    lines = list(ruled().lines)
    del lines[removed]
    events, fault = check(lines)
    assert fault is not None
    assert (fault.code, fault.where, len(events)) == ("event_order", f"event {removed}", removed)


@pytest.mark.parametrize("first", range(EVENTS - 1))
def test_swapped_events_are_found(first: int) -> None:
    lines = list(ruled().lines)
    lines[first], lines[first + 1] = lines[first + 1], lines[first]
    _, fault = check(lines)
    assert fault is not None
    assert fault.where == f"event {first}"


def test_an_event_signed_again_by_another_key_is_refused_where_keys_are_named() -> None:
    events = list(ruled().events)
    forged = sign(
        CASE, events[2], REFEREE, Noted(text="so it was"), key("thief"), BEGIN + timedelta(hours=1)
    )
    lines = [*(event.line for event in events[:3]), forged.line]
    assert check(lines)[1] is None
    _, fault = check(lines, {key().public.fingerprint})
    assert fault is not None
    assert (fault.code, fault.where) == ("event_key", "event 3")


def test_an_event_of_another_case_is_refused() -> None:
    events = opened().events
    other = sign(
        "01932f4c-1c7e-7a3b-9a4e-0242ac120003",
        events[-1],
        PLAYER,
        Noted(text="x"),
        key(),
        BEGIN + timedelta(hours=1),
    )
    _, fault = check([*(event.line for event in events), other.line])
    assert fault is not None
    assert fault.code == "event_order"


def test_a_clock_set_back_does_not_reorder_the_log() -> None:
    later = log.extend(opened(), [Noted(text="x")], PLAYER, key(), BEGIN - timedelta(days=1))
    assert later.events[-1].event.time == later.events[-2].event.time
    assert check(later.lines)[1] is None


def test_a_player_cannot_write_what_only_a_referee_may() -> None:
    case = log.extend(
        opened(),
        [commands.proposal(opened().case, parse_hand("123m55pEEE[567m](9999s)1h+E"), None, "x")],
        PLAYER,
        key(),
        BEGIN,
    )
    forbidden: tuple[Body, ...] = (
        commands.decision(case.case, case.events[-1].event.seq, True, ""),
        Ruled(outcome="win", unit="fan", total=8, reason="x"),
        Closed(),
    )
    for body in forbidden:
        with pytest.raises(LogError, match="only a referee"):
            log.extend(case, [body], PLAYER, key(), BEGIN)
        log.extend(case, [body], REFEREE, key(), BEGIN)


def test_nothing_follows_a_closed_case_but_its_reopening() -> None:
    closed = ruled()
    assert closed.case.state is CaseState.CLOSED
    with pytest.raises(LogError, match="closed"):
        log.extend(closed, [Claimed(by="Ben", total=8, unit="fan")], PLAYER, key(), BEGIN)
    again = log.extend(
        closed, [Reopened(reason="new witness"), Noted(text="x")], REFEREE, key(), BEGIN
    )
    assert again.case.state is CaseState.RULED


def test_results_that_do_not_fit_the_case_are_refused() -> None:
    case = opened()
    proposal = commands.proposal(case.case, parse_hand("123m55pEEE[567m](9999s)1h+E"), None, "x")
    assert proposal.before is not None
    wrong = proposal.model_copy(update={"before": proposal.after})
    with pytest.raises(LogError, match="stood before"):
        log.extend(case, [wrong], PLAYER, key(), BEGIN)
    scored = next(event.event.body for event in case.events if isinstance(event.event.body, Scored))
    other = scored.model_copy(update={"result": proposal.after})
    with pytest.raises(LogError, match="not the likeliest"):
        log.extend(case, [other], PLAYER, key(), BEGIN)


def test_a_correction_that_changes_nothing_is_no_correction() -> None:
    case = opened().case
    assert case.standing is not None
    for hand, won in ((None, None), (None, WON), (case.standing.hand.to_hand(), None)):
        with pytest.raises(commands.NothingChangedError):
            commands.proposal(case, hand, won, "x")
    with pytest.raises(commands.NoSuchProposalError):
        commands.decision(case, 2, True, "")


def test_a_correction_records_the_scores_before_and_after() -> None:
    case = ruled().case
    accepted, rejected = case.corrections
    assert accepted.decision is not None
    assert rejected.decision is not None
    assert accepted.proposal.before == case.computed
    assert accepted.decision.after == accepted.proposal.after == case.standing
    assert rejected.decision.after == rejected.decision.before == case.standing
    assert [(change.before, change.after) for change in accepted.proposal.changes] == [("1h", "2h")]
    assert case.ruling is not None
    assert case.ruling.ruling.fine is not None
    assert case.photos_agree


def test_tiles_out_and_in_are_paired() -> None:
    standing = opened().case.standing
    assert standing is not None
    fewer = standing.model_copy(update={"hand": standing.hand.model_copy(update={"flowers": []})})
    assert [(c.before, c.after) for c in commands.tile_changes(standing, fewer)] == [("1h", "")]
    assert commands.tile_changes(standing, standing) == ()
    assert len(commands.tile_changes(None, standing)) == 16


def test_photos_that_were_read_differently_do_not_agree() -> None:
    case = ruled().case
    second = case.photos[1]
    assert second.read is not None
    hands = second.read.reading.hands
    hands = (hands[0].model_copy(update={"notation": "123m"}),)
    read = second.read.model_copy(
        update={"reading": second.read.reading.model_copy(update={"hands": hands})}
    )
    assert not replace(case, photos=(case.photos[0], replace(second, read=read))).photos_agree
