"""A deal as JSON: ``{"players": [...], "dealer", "partners", "events": [{"type": ...}, ...]}`` into
typed values.

Event types and their fields (other spellings that name the same thing are read too, see `wording`):

    kong       player, kong: concealed | from_discard | added | timely_rain, from, tile
    pung       player, from, tile, held_triplet
    win        player, base_points (or hand), from or self_drawn, kong_draw, kong_discard,
               robbing_kong, last_tile, tile, fan_sum, fans
    multi_win  winners: [{player, base_points or hand}], from, kong_discard, robbing_kong, tile
    exhaust    ready: {player: points or hand}, not_ready: [...], natural_pig: [...],
               hands: {player: hand}
    fine       player, points, reason
    pass       player, fan
    draw, discard   player, tile

A ``hand`` is an object with concealed, melds and win_tile as in the case files, or a text in
notation; the engine then reckons the points itself. ``dealt`` gives the tiles dealt to players
whose every draw and discard is logged.
"""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches

from hupai.scoring.cases.fields import (
    DESCRIPTIVE_FIELDS,
    Case,
    CaseFormatError,
    as_object,
    as_sequence,
    as_whole_number,
    is_name,
    tile_run,
)
from hupai.scoring.sichuan.deal.event_json import EventReader, names_in
from hupai.scoring.sichuan.deal.ladder import Tally
from hupai.scoring.sichuan.deal.log import Deal, Event, Fine, Offence, Seating
from hupai.scoring.tiles import Tile, suit_named

_DEAL_FIELDS = DESCRIPTIVE_FIELDS | {
    *("players", "dealer", "partners", "teams", "events", "void_suits", "penalties", "fines"),
    *("format", "mode", "variant", "partner_play", "two_vs_two", "2v2", "doubles", "dealt"),
}
_OWN = _DEAL_FIELDS - DESCRIPTIVE_FIELDS
_FORMAT_FIELDS = ("format", "mode", "variant")
_PAIRS = frozenset({"2v2", "2vs2", "2-2", "pairs", "partners", "doubles", "two_vs_two", "双打"})
_SINGLE = frozenset(
    {"", "individual", "single", "singles", "ordinary", "normal", "standard", "four", "three"}
    | {"4", "3", "个人", "团体", "四人", "三人", "blood_battle", "血战", "血战到底"}
)


def parse_deal(value: object, *, strict: bool = True, tally: Tally | None = None) -> Deal:
    """Read a deal.

    Args:
        value: the JSON value.
        strict: refuse fields that a deal does not have, and a deal without events.
        tally: what was fined before in the session; the deal's own fines are added to it.

    Raises:
        CaseFormatError: names the field, e.g. ``events[1].kong``, and says what belongs there.
    """
    deal = as_object(value, "deal")
    if strict:
        _refuse_unknown(deal)
    seating = _seating(deal, strict=strict)
    voids = _void_suits(deal, seating)
    reader = EventReader(seating, voids, Counter() if tally is None else tally)
    listed = as_sequence(deal.get("events"), "events")
    apart = _fines_apart(deal)
    events: list[Event] = [*apart]
    numbers: list[int | None] = [None] * len(apart)
    for i, one in enumerate(listed):
        read = reader.read(one, i)
        events += read
        numbers += [i] * len(read)
    return Deal(seating, tuple(events), tuple(numbers), tuple(voids.items()), _dealt(deal, seating))


def _refuse_unknown(deal: Case) -> None:
    for field in deal:
        if field not in _DEAL_FIELDS:
            near = get_close_matches(field, _DEAL_FIELDS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"use {', '.join(sorted(_OWN))}"
            raise CaseFormatError(field, f"is no field of a deal: {hint}")
    if deal.get("players") is not None and deal.get("events") is None:
        raise CaseFormatError("events", "is missing: list what happened, in order")


def _void_suits(deal: Case, seating: Seating) -> dict[str, str]:
    voids: dict[str, str] = {}
    for name, suit in as_object(deal.get("void_suits"), "void_suits").items():
        known = suit_named(suit) if isinstance(suit, str) else None
        if name not in seating.players:
            raise CaseFormatError(f"void_suits.{name}", "is not among the players")
        if known is None:
            raise CaseFormatError(
                f"void_suits.{name}", f"must be a suit, m 万, p 饼 or s 条, got {suit!r}"
            )
        voids[name] = known
    return voids


def _dealt(deal: Case, seating: Seating) -> tuple[tuple[str, tuple[Tile, ...]], ...]:
    found = []
    for name, value in as_object(deal.get("dealt"), "dealt").items():
        tiles = tile_run(value, f"dealt.{name}")
        if name not in seating.players:
            raise CaseFormatError(f"dealt.{name}", "is not among the players")
        if len(tiles) not in (13, 14 if seating.dealer in (None, name) else 13):
            raise CaseFormatError(
                f"dealt.{name}", f"must be 13 tiles, or 14 of the dealer, got {len(tiles)}"
            )
        found.append((name, tiles))
    return tuple(found)


def _fines_apart(deal: Case) -> tuple[Fine, ...]:
    """Read fines that stand beside the log: ``penalties: {player: points}``."""
    given = as_object(deal.get("penalties", deal.get("fines")), "penalties")
    fines = [
        (player, abs(as_whole_number(points, f"penalties.{player}")))
        for player, points in given.items()
    ]
    return tuple(Fine(player, Offence.OTHER, points) for player, points in fines if points)


def _seating(deal: Case, *, strict: bool) -> Seating:
    if deal.get("players") is None:
        raise CaseFormatError("players", "is missing: list the names in the order of play")
    names = as_sequence(deal.get("players"), "players")
    if not names or not all(map(is_name, names)):
        raise CaseFormatError(
            "players", f"must be a list of names in the order of play, got {deal.get('players')!r}"
        )
    players = tuple(str(name) for name in names)
    pairs = as_sequence(deal.get("partners", deal.get("teams")), "partners")
    partners = tuple(names_in(pair, f"partners[{i}]") for i, pair in enumerate(pairs))
    if strict:
        _check_format(deal, players)
    if not partners and is_partner_play(deal) and len(players) == 4:
        partners = ((players[0], players[2]), (players[1], players[3]))
    dealer = deal.get("dealer")
    if dealer is not None and not isinstance(dealer, str):
        raise CaseFormatError("dealer", f"must be a player's name, got {dealer!r}")
    return Seating(players, dealer, partners)


def is_partner_play(case: Case) -> bool:
    """Return True where a case says, in one of several forms, that two play against two."""
    named = any(str(case.get(field, "")).lower() in _PAIRS for field in _FORMAT_FIELDS)
    return named or any(
        case.get(field) is True for field in ("partner_play", "two_vs_two", "2v2", "doubles")
    )


def _check_format(deal: Case, players: tuple[str, ...]) -> None:
    for field in _FORMAT_FIELDS:
        value = deal.get(field)
        if value is None:
            continue
        if not isinstance(value, str) or value.lower() not in _PAIRS | _SINGLE:
            raise CaseFormatError(field, f"{value!r} is no form of play: use individual or 2v2")
    if is_partner_play(deal) and len(players) != 4:
        raise CaseFormatError(
            "players", f"two against two is played by four (7.2.1), got {len(players)}"
        )
