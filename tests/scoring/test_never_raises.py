"""Whatever lies on the table, every rule set answers it: problems, not exceptions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring import rule_sets
from hupai.scoring.checks.catalogue import CODES
from hupai.scoring.compare import WinStatus, compare
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind
from hupai.scoring.result import Severity
from hupai.scoring.tiles import Tile
from tests.scoring.hands import won_hands

tile = st.sampled_from(list(Tile))
any_meld = st.builds(Meld, st.sampled_from(list(MeldKind)), st.lists(tile, max_size=5).map(tuple))
kong_of_one = st.builds(lambda kind, t: Meld(kind, (t,) * 4), st.sampled_from(list(MeldKind)), tile)
any_hand = st.builds(
    Hand,
    st.lists(tile, max_size=18).map(tuple),
    st.lists(st.one_of(any_meld, kong_of_one), max_size=5).map(tuple),
    st.one_of(st.none(), tile),
    st.lists(tile, max_size=3).map(tuple),
)
any_circumstances = st.builds(
    Circumstances,
    self_drawn=st.booleans(),
    last_tile=st.booleans(),
    last_of_kind=st.booleans(),
    kong_replacement=st.booleans(),
    kong_discard=st.booleans(),
    robbing_kong=st.booleans(),
    seat_wind=st.one_of(st.none(), tile),
    round_wind=st.one_of(st.none(), tile),
    flowers=st.one_of(st.none(), st.integers(-2, 12)),
    dealer=st.booleans(),
    dealer_streak=st.integers(-2, 5),
    ready_declared=st.booleans(),
    heavenly_ready=st.booleans(),
    heavenly_win=st.booleans(),
    opponents=st.integers(-1, 5),
    partner_play=st.booleans(),
    void_suit=st.one_of(st.none(), st.sampled_from(["m", "p", "s", "x", ""])),
    discarder_is_dealer=st.booleans(),
)


@given(st.one_of(any_hand, won_hands()), any_circumstances)
def test_every_rule_set_answers_everything(hand: Hand, circumstances: Circumstances) -> None:
    for column in compare(hand, circumstances).columns:
        score = column.score
        assert {p.code for p in score.problems} <= CODES.keys()
        assert score.legal is (column.status is WinStatus.WIN)
        assert score.complete or not score.legal
        assert bool(column.reasons) is not score.legal
        assert not score.legal or all(p.severity is not Severity.ERROR for p in score.problems)
        assert score.winner_receives == sum(p.count * p.amount for p in score.payments)


def test_there_are_rule_sets_to_ask() -> None:
    assert len(rule_sets.all_rules()) >= 5
