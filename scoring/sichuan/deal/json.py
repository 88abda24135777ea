"""A deal as JSON: ``{"players": [...], "dealer", "partners", "events": [{"type": ...}, ...]}`` into
typed values.

Event types and their fields (other spellings that name the same thing are read too, see the tables
below):

    kong       player, kong: concealed | from_discard | added | timely_rain, from
    win        player, base_points (or hand), from or self_drawn, kong_discard, robbing_kong
    multi_win  winners: [{player, base_points}], from, kong_discard, robbing_kong
    exhaust    ready: {player: points or hand}, not_ready: [...], natural_pig: [...],
               hands: {player: hand}
    fine       player, points, reason
    pass       player, fan
    draw, discard   player

A ``hand`` is an object with concealed, melds and win_tile as in the case files; the engine then
reckons the points itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hupai.scoring.cases.fields import (
    DESCRIPTIVE_FIELDS,
    Case,
    CaseFormatError,
    as_object,
    as_sequence,
    as_whole_number,
    case_hand,
    flag,
    text,
)
from hupai.scoring.hand import Circumstances
from hupai.scoring.sichuan.deal.log import (
    OFFENCE_RULES,
    Deal,
    Discard,
    Draw,
    Event,
    Fine,
    Kong,
    KongKind,
    Offence,
    PassedWin,
    Ready,
    Seating,
    WallEnd,
    Win,
    Winner,
)
from hupai.scoring.sichuan.deal.wording import (
    EVENT_FIELDS,
    EVENT_NAMES,
    FINE_EVENT_FIELDS,
    FINE_FIELDS,
    KONG_KINDS,
    LATE_PIG_FIELDS,
    NATURAL_PIG_FIELDS,
    OFFENCES,
    PLAIN_FINES,
    TIMELY_FLAGS,
)
from hupai.scoring.sichuan.ready import readiness
from hupai.scoring.sichuan.rules import SICHUAN_2024


def parse_deal(value: object) -> Deal:
    """Read a deal.

    Raises:
        CaseFormatError: names the field, e.g. ``events[1].kong``, and says what belongs there.
    """
    deal = as_object(value, "deal")
    seating = _seating(deal)
    voids = {
        name: suit
        for name, suit in as_object(deal.get("void_suits"), "void_suits").items()
        if isinstance(suit, str)
    }
    reader = _EventReader(seating, voids)
    listed = as_sequence(deal.get("events"), "events")
    events = [event for i, one in enumerate(listed) for event in reader.read(one, f"events[{i}]")]
    return Deal(seating, (*_fines_apart(deal), *events))


def _fines_apart(deal: Case) -> tuple[Fine, ...]:
    """Read fines that stand beside the log: ``penalties: {player: points}``."""
    given = as_object(deal.get("penalties", deal.get("fines")), "penalties")
    fines = [
        (player, abs(as_whole_number(points, f"penalties.{player}")))
        for player, points in given.items()
    ]
    return tuple(Fine(player, Offence.OTHER, points) for player, points in fines if points)


def _seating(deal: Case) -> Seating:
    names = as_sequence(deal.get("players"), "players")
    if not names or not all(isinstance(name, str) for name in names):
        raise CaseFormatError(
            "players", f"must be a list of names in the order of play, got {deal.get('players')!r}"
        )
    players = tuple(str(name) for name in names)
    pairs = as_sequence(deal.get("partners", deal.get("teams")), "partners")
    partners = tuple(_names(pair, f"partners[{i}]") for i, pair in enumerate(pairs))
    if not partners and is_partner_play(deal) and len(players) == 4:
        partners = ((players[0], players[2]), (players[1], players[3]))
    dealer = deal.get("dealer")
    if dealer is not None and not isinstance(dealer, str):
        raise CaseFormatError("dealer", f"must be a player's name, got {dealer!r}")
    return Seating(players, dealer, partners)


def is_partner_play(case: Case) -> bool:
    """Return True where a case says, in one of several forms, that two play against two."""
    named = any(
        str(case.get(field, "")).lower() in ("2v2", "pairs", "doubles", "双打")
        for field in ("format", "mode", "variant")
    )
    return named or any(
        case.get(field) is True for field in ("partner_play", "two_vs_two", "2v2", "doubles")
    )


def _names(value: object, field: str) -> tuple[str, ...]:
    names = as_sequence(value, field)
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise CaseFormatError(f"{field}[{i}]", f"must be a player's name, got {name!r}")
    return tuple(str(name) for name in names)


class _EventReader:
    """Reads events of one deal; keeps what their hands need to be scored."""

    def __init__(self, seating: Seating, voids: Mapping[str, str]) -> None:
        self.seating = seating
        self.voids = voids
        self.won: set[str] = set()
        self.readers: dict[str, Callable[[Case, str], Event]] = {
            "kong": self._kong,
            "win": self._win,
            "multi_win": self._multi_win,
            "exhaust": self._exhaust,
            "pass": self._pass,
            "draw": lambda event, at: Draw(text(event, "player", f"{at}.")),
            "discard": lambda event, at: Discard(text(event, "player", f"{at}.")),
        }

    def read(self, value: object, at: str) -> tuple[Event, ...]:
        """Read the event, and before the end of the wall the fines found with it."""
        event = as_object(value, at)
        kind = EVENT_NAMES.get(text(event, "type", f"{at}."), text(event, "type", f"{at}."))
        _refuse_unknown(event, kind, at)
        if kind in PLAIN_FINES or kind in OFFENCES:
            return (self._fine(event, kind, at),)
        if kind not in self.readers:
            raise CaseFormatError(
                f"{at}.type",
                f"{kind!r} is no event: use {', '.join(self.readers)}, fine or "
                f"{', '.join(OFFENCES)}",
            )
        pigs = [
            name
            for field in LATE_PIG_FIELDS
            for name in _names(event.get(field), f"{at}.{field}")
            if kind == "exhaust"
        ]
        return (*(Fine(name, Offence.LATE_PIG) for name in pigs), self.readers[kind](event, at))

    def _kong(self, event: Case, at: str) -> Event:
        name = text(event, "kong", f"{at}.")
        if name not in KONG_KINDS:
            raise CaseFormatError(
                f"{at}.kong", f"{name!r} is no kong: use {', '.join(k.value for k in KongKind)}"
            )
        kind = (
            KongKind.TIMELY_RAIN
            if any(event.get(name) is True for name in TIMELY_FLAGS)
            else KONG_KINDS[name]
        )
        if event.get("scored") is False:
            kind = KongKind.TIMELY_RAIN
        return Kong(
            text(event, "player", f"{at}."), kind, _optional_name(event, ("from", "discarder"), at)
        )

    def _win(self, event: Case, at: str) -> Event:
        discarder = _optional_name(event, ("from", "discarder", "robbed_from"), at)
        if discarder is None and not flag(event, "self_drawn", f"{at}."):
            raise CaseFormatError(f"{at}.from", "say from whom the tile came, or set self_drawn")
        if discarder is not None and flag(event, "self_drawn", f"{at}."):
            raise CaseFormatError(
                f"{at}.self_drawn", "a tile that came from another player is not self-drawn"
            )
        return self._win_event((self._winner(event, event, at),), event, discarder, at)

    def _multi_win(self, event: Case, at: str) -> Event:
        discarder = _optional_name(event, ("from", "discarder", "robbed_from"), at)
        if discarder is None:
            raise CaseFormatError(
                f"{at}.from", "several can win only on another player's tile: name that player"
            )
        listed = as_sequence(event.get("winners"), f"{at}.winners")
        places = [f"{at}.winners[{i}]" for i in range(len(listed))]
        winners = tuple(
            self._winner(as_object(one, place), event, place)
            for one, place in zip(listed, places, strict=True)
        )
        return self._win_event(winners, event, discarder, at)

    def _win_event(
        self, winners: tuple[Winner, ...], event: Case, discarder: str | None, at: str
    ) -> Win:
        self.won |= {winner.player for winner in winners}
        robbing = flag(event, "robbing_kong", f"{at}.") or flag(event, "robbed_kong", f"{at}.")
        return Win(winners, discarder, flag(event, "kong_discard", f"{at}."), robbing)

    def _winner(self, one: Case, event: Case, at: str) -> Winner:
        player = text(one, "player", f"{at}.")
        if one.get("hand") is None:
            return Winner(player, _points(one, ("base_points", "points", "value"), at))
        hand = case_hand(as_object(one.get("hand"), f"{at}.hand"), f"{at}.hand.")
        circumstances = Circumstances(
            self_drawn=flag(event, "self_drawn", f"{at}."),
            kong_replacement=flag(event, "kong_draw", f"{at}."),
            kong_discard=flag(event, "kong_discard", f"{at}."),
            robbing_kong=flag(event, "robbing_kong", f"{at}."),
            last_tile=flag(event, "last_tile", f"{at}."),
            void_suit=self.voids.get(player),
            partner_play=self.seating.partner_play,
        )
        score = SICHUAN_2024.score(hand, circumstances)
        if not score.legal:
            raise CaseFormatError(f"{at}.hand", "; ".join(p.message for p in score.problems))
        return Winner(player, score.total)

    def _exhaust(self, event: Case, at: str) -> Event:
        ready: list[Ready] = []
        not_ready = list(_names(event.get("not_ready"), f"{at}.not_ready"))
        pigs = [
            name
            for field in NATURAL_PIG_FIELDS
            for name in _names(event.get(field), f"{at}.{field}")
        ]
        for player, value in as_object(event.get("ready"), f"{at}.ready").items():
            if isinstance(value, Mapping):
                self._check_hand(player, value, f"{at}.ready.{player}", (ready, not_ready, pigs))
            else:
                ready.append(Ready(player, as_whole_number(value, f"{at}.ready.{player}")))
        for player, value in as_object(event.get("hands"), f"{at}.hands").items():
            self._check_hand(
                player,
                as_object(value, f"{at}.hands.{player}"),
                f"{at}.hands.{player}",
                (ready, not_ready, pigs),
            )
        listed = {one.player for one in ready} | set(not_ready)
        late = [
            name
            for field in LATE_PIG_FIELDS
            for name in _names(event.get(field), f"{at}.{field}")
            if name not in listed
        ]
        return WallEnd(tuple(ready), (*not_ready, *late), tuple(pigs))

    def _check_hand(
        self, player: str, value: Case, at: str, lists: tuple[list[Ready], list[str], list[str]]
    ) -> None:
        if player in self.won:
            return
        ready, not_ready, pigs = lists
        found = readiness(
            case_hand(value, f"{at}."),
            self.voids.get(player),
            partner_play=self.seating.partner_play,
        )
        if found.problems:
            raise CaseFormatError(at, found.problems[0].message)
        if found.ready:
            ready.append(Ready(player, found.points))
        else:
            not_ready.append(player)
        if found.natural_pig:
            pigs.append(player)

    def _pass(self, event: Case, at: str) -> Event:
        return PassedWin(text(event, "player", f"{at}."), _points(event, ("fan", "passed_fan"), at))

    def _fine(self, event: Case, kind: str, at: str) -> Event:
        reason = event.get("reason", event.get("offence"))
        offence = (
            OFFENCES[kind] if kind not in PLAIN_FINES else OFFENCES.get(str(reason), Offence.OTHER)
        )
        given = any(event.get(name) is not None for name in FINE_FIELDS)
        points = abs(_points(event, FINE_FIELDS, at)) if given else OFFENCE_RULES[offence].points
        if points is None and offence is Offence.OTHER:
            raise CaseFormatError(f"{at}.points", "say how many points the fine is")
        return Fine(text(event, "player", f"{at}."), offence, points)


def _refuse_unknown(event: Case, kind: str, at: str) -> None:
    """Refuse a field that would silently change nothing, unless it is false or empty."""
    allowed = EVENT_FIELDS.get(kind, FINE_EVENT_FIELDS) | DESCRIPTIVE_FIELDS | {"type", "player"}
    for field, value in event.items():
        if field not in allowed and value not in (None, False, [], {}):
            raise CaseFormatError(
                f"{at}.{field}",
                f"is not known for {kind}: use {', '.join(sorted(allowed - DESCRIPTIVE_FIELDS))}",
            )


def _points(event: Case, fields: tuple[str, ...], at: str) -> int:
    for field in fields:
        if event.get(field) is not None:
            return as_whole_number(event[field], f"{at}.{field}")
    raise CaseFormatError(f"{at}.{fields[0]}", "is missing")


def _optional_name(event: Case, fields: tuple[str, ...], at: str) -> str | None:
    for field in fields:
        value = event.get(field)
        if value is not None:
            if not isinstance(value, str):
                raise CaseFormatError(f"{at}.{field}", f"must be a player's name, got {value!r}")
            return value
    return None
