"""One event of a deal's JSON as a typed value; `hupai.scoring.sichuan.deal.json` has the forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from hupai.scoring.cases.fields import (
    DESCRIPTIVE_FIELDS,
    Case,
    CaseFormatError,
    as_object,
    as_sequence,
    as_whole_number,
    flag,
    hand_in,
    text,
    tile_run,
    whole_number,
)
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import sentences
from hupai.scoring.sichuan.deal.ladder import MISCONDUCT, MISCONDUCT_NAMES, Tally
from hupai.scoring.sichuan.deal.log import (
    OFFENCE_RULES,
    Discard,
    Draw,
    Event,
    Fine,
    Kong,
    KongKind,
    Offence,
    PassedWin,
    Pung,
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
    HELD_TRIPLET_FIELDS,
    KONG_KINDS,
    LATE_PIG_FIELDS,
    NATURAL_PIG_FIELDS,
    OFFENCES,
    PLAIN_FINES,
    TIMELY_FLAGS,
)
from hupai.scoring.sichuan.patterns import PATTERNS
from hupai.scoring.sichuan.ready import Readiness, readiness
from hupai.scoring.sichuan.rules import SICHUAN_2024
from hupai.scoring.tiles import Tile


def names_in(value: object, field: str) -> tuple[str, ...]:
    """Read a list of names.

    Raises:
        CaseFormatError: naming the field.
    """
    names = as_sequence(value, field)
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise CaseFormatError(f"{field}[{i}]", f"must be a player's name, got {name!r}")
    return tuple(str(name) for name in names)


class EventReader:
    """Reads events of one deal; keeps what their hands need to be scored."""

    def __init__(self, seating: Seating, voids: Mapping[str, str], tally: Tally) -> None:
        self.tally = tally
        self.seating = seating
        self.voids = voids
        self.won: set[str] = set()
        self.readers: dict[str, Callable[[Case, str], Event]] = {
            "kong": self._kong,
            "pung": self._pung,
            "win": self._win,
            "multi_win": self._multi_win,
            "exhaust": self._exhaust,
            "pass": self._pass,
            "draw": lambda event, at: Draw(text(event, "player", f"{at}."), _tile(event, at)),
            "discard": lambda event, at: Discard(text(event, "player", f"{at}."), _tile(event, at)),
        }

    def read(self, value: object, number: int) -> tuple[Event, ...]:
        """Read the event, and before the end of the wall the fines found with it.

        Args:
            value: the event's JSON.
            number: its place in the log, from 0.

        Raises:
            CaseFormatError: with the field, and the number of the event as people count.
        """
        try:
            return self._read(value, f"events[{number}]")
        except CaseFormatError as error:
            place = f"event {number + 1}: "
            raise error.within(error.field, place, f"第{number + 1}项") from None

    def _read(self, value: object, at: str) -> tuple[Event, ...]:
        event = as_object(value, at)
        named = text(event, "type", f"{at}.", (*self.readers, "fine"))
        kind = EVENT_NAMES.get(named, named)
        fine = kind in PLAIN_FINES or kind in OFFENCES
        if not fine and kind not in self.readers:
            near = get_close_matches(kind, [*self.readers, "fine", *EVENT_NAMES, *OFFENCES], 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            offences = (one.value for one in Offence if one is not Offence.OTHER)
            raise CaseFormatError(
                f"{at}.type",
                f"{kind!r} is no event: {hint}use {', '.join(self.readers)}, fine, "
                f"{', '.join(offences)}",
            )
        _refuse_unknown(event, kind, at)
        if fine:
            return (self._fine(event, kind, at),)
        pigs = [
            name
            for field in LATE_PIG_FIELDS
            for name in names_in(event.get(field), f"{at}.{field}")
            if kind == "exhaust"
        ]
        return (*(Fine(name, Offence.LATE_PIG) for name in pigs), self.readers[kind](event, at))

    def _kong(self, event: Case, at: str) -> Event:
        known = ", ".join(kind.value for kind in KongKind)
        if event.get("kong") is None and "kind" in event:
            message = f"is missing: use {known}; kind is no field of a kong"
            raise CaseFormatError(f"{at}.kong", message)
        name = text(event, "kong", f"{at}.", (known,))
        if name not in KONG_KINDS:
            raise CaseFormatError(f"{at}.kong", f"{name!r} is no kong: use {known}")
        kind = (
            KongKind.TIMELY_RAIN
            if any(event.get(name) is True for name in TIMELY_FLAGS)
            else KONG_KINDS[name]
        )
        if event.get("scored") is False:
            kind = KongKind.TIMELY_RAIN
        discarder = _optional_name(event, ("from", "discarder"), at)
        return Kong(text(event, "player", f"{at}."), kind, discarder, _tile(event, at))

    def _pung(self, event: Case, at: str) -> Event:
        given = [name for name in HELD_TRIPLET_FIELDS if event.get(name) is not None]
        return Pung(
            text(event, "player", f"{at}."),
            _optional_name(event, ("from", "discarder"), at),
            _tile(event, at),
            any(flag(event, name, f"{at}.") for name in given) if given else None,
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
        return Win(
            winners,
            discarder,
            flag(event, "kong_discard", f"{at}."),
            robbing,
            kong_draw=flag(event, "kong_draw", f"{at}."),
            last_tile=flag(event, "last_tile", f"{at}."),
            tile=_tile(event, at),
        )

    def _winner(self, one: Case, event: Case, at: str) -> Winner:
        player = text(one, "player", f"{at}.")
        fields = ("base_points", "points", "value")
        stated = any(one.get(name) is not None for name in fields)
        claimed = _points(one, fields, at) if stated else None
        fan = _stated_fan(one, at)
        if one.get("hand") is None:
            if claimed is None and fan is not None:
                claimed = 2 ** min(max(fan, 0), 3)
            return Winner(
                player,
                _points(one, fields, at) if claimed is None else claimed,
                claimed_fan=fan,
            )
        hand = hand_in(one.get("hand"), f"{at}.hand")
        circumstances = Circumstances(
            self_drawn=flag(event, "self_drawn", f"{at}."),
            kong_replacement=flag(event, "kong_draw", f"{at}."),
            kong_discard=flag(event, "kong_discard", f"{at}."),
            robbing_kong=flag(event, "robbing_kong", f"{at}.")
            or flag(event, "robbed_kong", f"{at}."),
            last_tile=flag(event, "last_tile", f"{at}."),
            void_suit=self.voids.get(player),
            partner_play=self.seating.partner_play,
        )
        score = SICHUAN_2024.score(hand, circumstances)
        if not score.legal:
            raise CaseFormatError(f"{at}.hand", *sentences(score.problems))
        return Winner(player, score.total, hand, claimed, fan)

    def _exhaust(self, event: Case, at: str) -> Event:
        stated: dict[str, int] = {}
        shown: dict[str, tuple[Hand, str]] = {}
        for player, value in as_object(event.get("ready"), f"{at}.ready").items():
            if isinstance(value, Mapping | str):
                shown[player] = hand_in(value, f"{at}.ready.{player}"), f"{at}.ready.{player}"
            else:
                stated[player] = as_whole_number(value, f"{at}.ready.{player}")
        for player, value in as_object(event.get("hands"), f"{at}.hands").items():
            shown[player] = hand_in(value, f"{at}.hands.{player}"), f"{at}.hands.{player}"
        not_ready = list(names_in(event.get("not_ready"), f"{at}.not_ready"))
        pigs = [name for field in NATURAL_PIG_FIELDS for name in _named(event, field, at)]
        ready = [Ready(player, points) for player, points in stated.items()]
        for player, (hand, place) in shown.items():
            if player in self.won:
                continue
            found = self._readiness(player, hand, place)
            if found.ready and player in (*not_ready, *pigs):
                raise CaseFormatError(place, f"this hand is ready, and {player} is listed as not")
            if player in stated and stated[player] != found.points:
                worth = f"is worth {found.points}" if found.ready else "is not ready"
                raise CaseFormatError(
                    place, f"this hand {worth}, and ready says {stated[player]} for {player}"
                )
            if found.ready and player not in stated:
                ready.append(Ready(player, found.points))
            elif not found.ready and player not in not_ready:
                not_ready.append(player)
            if found.natural_pig and player not in pigs:
                pigs.append(player)
        listed = {one.player for one in ready} | set(not_ready)
        late = [
            name
            for field in LATE_PIG_FIELDS
            for name in _named(event, field, at)
            if name not in listed
        ]
        hands = tuple((name, hand) for name, (hand, _) in shown.items() if name not in self.won)
        return WallEnd(tuple(ready), (*not_ready, *late), tuple(pigs), hands)

    def _readiness(self, player: str, hand: Hand, at: str) -> Readiness:
        found = readiness(hand, self.voids.get(player), partner_play=self.seating.partner_play)
        if found.problems:
            raise CaseFormatError(at, *sentences(found.problems[:1]))
        return found

    def _pass(self, event: Case, at: str) -> Event:
        fan = _points(event, ("fan", "passed_fan"), at, least=0)
        return PassedWin(text(event, "player", f"{at}."), fan)

    def _fine(self, event: Case, kind: str, at: str) -> Event:
        reason = str(event.get("reason", event.get("offence", "")))
        offence = OFFENCES[kind] if kind not in PLAIN_FINES else OFFENCES.get(reason, Offence.OTHER)
        player = text(event, "player", f"{at}.")
        given = any(event.get(name) is not None for name in FINE_FIELDS)
        points = abs(_points(event, FINE_FIELDS, at)) if given else OFFENCE_RULES[offence].points
        name = MISCONDUCT_NAMES.get(reason)
        if name is not None and offence is Offence.OTHER:
            before = self.tally[player, name]
            self.tally[player, name] += 1
            fixed = MISCONDUCT[name].points(before)
            differs = None if points in (None, fixed) else fixed
            return Fine(
                player, offence, fixed if points is None else points, name, before + 1, differs
            )
        if points is None and offence is Offence.OTHER:
            raise CaseFormatError(
                f"{at}.points",
                "say how many points the fine is, or name the offence as reason: "
                f"{', '.join(MISCONDUCT)}",
            )
        return Fine(player, offence, points)


def _named(event: Case, field: str, at: str) -> tuple[str, ...]:
    return names_in(event.get(field), f"{at}.{field}")


def _tile(event: Case, at: str) -> Tile | None:
    """Read the tile of an event; None if it has none."""
    value = event.get("tile")
    if value is None:
        return None
    tiles = tile_run(value, f"{at}.tile")
    if len(tiles) != 1:
        raise CaseFormatError(f"{at}.tile", f"must be one tile, got {value!r}")
    return tiles[0]


def _stated_fan(one: Case, at: str) -> int | None:
    """Read the sum of fan that a log states: ``fan_sum``, or ``fans`` by name and count.

    Raises:
        CaseFormatError: if the two differ, or a name is not a fan.
    """
    total = None if one.get("fan_sum") is None else whole_number(one, "fan_sum", f"{at}.", least=0)
    listed = one.get("fans")
    if listed is None:
        return total
    names = (
        listed if isinstance(listed, Mapping) else dict.fromkeys(names_in(listed, f"{at}.fans"), 1)
    )
    values = {name: p.fan for p in PATTERNS for name in (p.id, p.zh, p.en)}
    found = 0
    for name, count in names.items():
        if name not in values:
            known = ", ".join(p.zh for p in PATTERNS)
            raise CaseFormatError(f"{at}.fans", f"{name!r} is no fan of table 1: use {known}")
        found += values[name] * as_whole_number(count, f"{at}.fans.{name}")
    if total is not None and total != found:
        raise CaseFormatError(f"{at}.fan_sum", f"is {total}, and the fans add up to {found}")
    return found


def _refuse_unknown(event: Case, kind: str, at: str) -> None:
    """Refuse a field that would silently change nothing, unless it is false or empty."""
    allowed = EVENT_FIELDS.get(kind, FINE_EVENT_FIELDS) | DESCRIPTIVE_FIELDS | {"type", "player"}
    for field, value in event.items():
        if field not in allowed and value not in (None, False, [], {}):
            raise CaseFormatError(
                f"{at}.{field}",
                f"is not known for {kind}: use {', '.join(sorted(allowed - DESCRIPTIVE_FIELDS))}",
            )


def _points(event: Case, fields: tuple[str, ...], at: str, *, least: int | None = None) -> int:
    for field in fields:
        if event.get(field) is not None:
            return as_whole_number(event[field], f"{at}.{field}", least=least)
    raise CaseFormatError(f"{at}.{fields[0]}", "is missing")


def _optional_name(event: Case, fields: tuple[str, ...], at: str) -> str | None:
    for field in fields:
        value = event.get(field)
        if value is not None:
            if not isinstance(value, str):
                raise CaseFormatError(f"{at}.{field}", f"must be a player's name, got {value!r}")
            return value
    return None
