"""A session of MCR: four rounds of four deals, table points, standard points, penalties.

A deal is one of

    {"type": "win", "player", "fan" or "hand", "from" or "self_drawn"}
    {"type": "win", "winners": [{"player", "fan" or "hand"}, ...], "from"}    claims of one discard
    {"type": "exhaust"}        荒牌

and may hold ``penalties``: [{"player", "points", "reason", "to": [names]}]. Of several claims only
the nearest after the discarder wins (2006, 3.7.2.4). The dealer passes after every deal (2006,
3.4.8), and the seat and round winds of the hands follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from hupai.scoring.cases.fields import (
    Case,
    CaseFormatError,
    as_object,
    as_sequence,
    text,
    whole_number,
)
from hupai.scoring.checks.catalogue import problem
from hupai.scoring.mcr.rules import McrRules, rules_by_id
from hupai.scoring.result import Problem, Severity
from hupai.scoring.sessions.seats import (
    WIN_FIELDS,
    at_table,
    claims_of,
    deals_of,
    discarder_of,
    four_players,
    naming_deal,
    refuse_unknown,
    standard_points,
    worth,
)
from hupai.scoring.sessions.sheet import (
    Scores,
    SessionRules,
    Sheet,
    SheetEntry,
    SheetFine,
    SheetPlace,
    SheetRow,
    added,
    balance_problems,
    dealer_problems,
    of_deal,
)
from hupai.scoring.tiles import WINDS

DEALS = 16
"""Deals of a session: four rounds, each player dealing once a round (2006, 3.4.3-3.4.4)."""

STANDARD_POINTS = (4, 2, 1, 0)
"""Standard points by place. Article 9 of the 2006 print at hand is cut off; this is the scale of
international tournaments, and `standard_points` sets another.
"""

MOST_FAN = 500
"""More than any hand scores; a larger number in a log is a slip of the pen."""

FIELDS = frozenset({"rules", "players", "deals", "standard_points", "penalties"})
"""Fields of an MCR session."""

_DEAL_FIELDS = WIN_FIELDS | {"fan", "total", "flowers", "penalties", "dealer", "players"}


def mcr_sheet(session: Case) -> Sheet:
    """Settle the deals of a session in order and rank the players.

    Raises:
        CaseFormatError: naming the deal and the field of what cannot be read.
    """
    rules = rules_by_id(str(session.get("rules")))
    players = four_players(session)
    running: Scores = tuple((player, 0) for player in players)
    rows: list[SheetRow] = []
    fines: list[SheetFine] = []
    problems: list[Problem] = []
    outside = _penalties(session, players, "penalties")
    for number, deal, at in deals_of(session, _DEAL_FIELDS):
        with naming_deal(number):
            winners, entries, found = _settle(rules, deal, players, number, at)
            fined = _penalties(deal, players, f"{at}.penalties")
        entries += [entry for entry, _ in fined]
        fines += [_fine(number, entry, points) for entry, points in fined if points]
        dealer = players[(number - 1) % 4]
        because = (f"in deal {number} (2006, 3.4.8)", f"第 {number} 盘（2006，3.4.8）")
        problems += of_deal(number, (*dealer_problems(deal.get("dealer"), dealer, because), *found))
        net = _net(players, entries)
        running = added(running, net)
        rows.append(
            SheetRow(number, dealer, (number - 1) // 4 + 1, winners, net, running, tuple(entries))
        )
    late = [entry for entry, _ in outside]
    running = added(running, _net(players, late))
    fines += [_fine(None, entry, points) for entry, points in outside if points]
    places = _places(session, running, [*late, *(e for row in rows for e in row.entries)])
    problems += [*_number_of_deals(len(rows)), *_what_the_print_lacks(session, bool(fines))]
    return Sheet(
        rules.id,
        players,
        tuple(rows),
        tuple(fines),
        places,
        players[len(rows) % 4],
        (*problems, *balance_problems(places)),
    )


def _settle(
    rules: McrRules, deal: Case, players: tuple[str, ...], number: int, at: str
) -> tuple[tuple[str, ...], list[SheetEntry], list[Problem]]:
    kind = text(deal, "type", f"{at}.", ("win", "exhaust"))
    if kind in ("exhaust", "draw", "荒牌"):
        return (), [], []
    if kind != "win":
        raise CaseFormatError(f"{at}.type", f"{kind!r} is no deal: use win or exhaust")
    discarder = discarder_of(deal, players, at)
    claims = [
        (at_table(text(one, "player", f"{place}."), players, f"{place}.player"), one, place)
        for one, place in claims_of(deal, at)
    ]
    names = [name for name, _, _ in claims]
    if len(set(names)) < len(names) or discarder in names:
        raise CaseFormatError(f"{at}.winners", "each claims once, and none the own discard")
    if discarder is None and len(claims) > 1:
        raise CaseFormatError(f"{at}.winners", "only one player can win on a drawn tile")
    found = []
    if discarder is not None and len(claims) > 1:
        after = players.index(discarder)
        claims.sort(key=lambda claim: (players.index(claim[0]) - after) % 4)
        others = [name for name, _, _ in claims[1:]]
        found.append(
            problem(
                "session_nearest",
                f"{claims[0][0]} is the nearest after {discarder} and wins alone; the "
                f"{'claims' if len(others) > 1 else 'claim'} of {', '.join(others)} "
                f"{'do' if len(others) > 1 else 'does'} not count ({_nearest_clause(rules.id)}).",
                f"{claims[0][0]} 按逆时针方向在前，定为和牌者；{'、'.join(others)} 不计"
                f"（{_nearest_clause(rules.id)}）。",
            )
        )
    name, one, place = claims[0]
    how: dict[str, object] = {
        "self_drawn": discarder is None,
        "seat_wind": WINDS[(players.index(name) - (number - 1)) % 4],
        "round_wind": WINDS[min((number - 1) // 4, 3)],
    }
    fan = worth(rules, one, deal, how, ("fan", "total"), place)
    if fan > MOST_FAN:
        raise CaseFormatError(f"{place}.fan", f"must be at most {MOST_FAN}, got {fan}")
    if fan < rules.minimum:
        raise CaseFormatError(f"{place}.fan", f"is {fan}, and {rules.minimum} are needed to win")
    return (name,), list(_payments(rules, fan, name, discarder, players)), found


def _nearest_clause(rules: str) -> str:
    return {
        "mcr-2006": "2006, 3.7.2.4",
        "mcr-1998": "1998, 一盘只能有一位和牌者",
    }.get(rules, "2006, 3.7.2.4; the handbook is silent")


def _payments(
    rules: McrRules, fan: int, winner: str, discarder: str | None, players: tuple[str, ...]
) -> Iterator[SheetEntry]:
    base = rules.profile.base_points
    for payer in players:
        if payer == winner:
            continue
        if discarder is None:
            points, en, zh = base + fan, f"self-drawn: {base} + {fan}", f"自摸：{base}＋{fan}"
        elif payer == discarder:
            points, en, zh = base + fan, f"discard: {base} + {fan}", f"点和：{base}＋{fan}"
        else:
            points, en, zh = base, f"base points {base}", f"底分{base}"
        yield SheetEntry(None, payer, winner, points, "MCR 1998, 计分", en, zh)


def _penalties(given: Case, players: tuple[str, ...], field: str) -> list[tuple[SheetEntry, int]]:
    """Read penalties: each takes `points` from a player and gives them to `to` in equal parts.

    Without `to` nobody receives them. The second value is the whole penalty for the first entry of
    each, and 0 for the others.
    """
    found: list[tuple[SheetEntry, int]] = []
    for i, value in enumerate(as_sequence(given.get("penalties"), field)):
        at = f"{field}[{i}]"
        one = as_object(value, at)
        refuse_unknown(one, frozenset({"player", "points", "reason", "to", "clause"}), at)
        player = at_table(text(one, "player", f"{at}."), players, f"{at}.player")
        points = abs(whole_number(one, "points", f"{at}."))
        to = [
            at_table(str(name), players, f"{at}.to")
            for name in as_sequence(one.get("to"), f"{at}.to")
        ]
        if player in to:
            raise CaseFormatError(f"{at}.to", "a penalty goes to other players")
        if len(set(to)) < len(to):
            raise CaseFormatError(f"{at}.to", "a player is named twice")
        if to and points % len(to):
            message = f"{points} points cannot go to {len(to)} in equal parts"
            raise CaseFormatError(f"{at}.to", message)
        reason = str(one.get("reason", "penalty"))
        clause = str(one.get("clause", "2006, article 11 (not in the print at hand)"))
        for n, payee in enumerate(to or [None]):
            share = points // max(len(to), 1)
            found.append(
                (SheetEntry(None, player, payee, share, clause, reason, reason), 0 if n else points)
            )
    return found


def _fine(deal: int | None, entry: SheetEntry, points: int) -> SheetFine:
    return SheetFine(deal, entry.payer, points, entry.clause, entry.why_en, entry.why_zh)


def _net(players: tuple[str, ...], entries: list[SheetEntry]) -> Scores:
    return tuple(
        (
            player,
            sum(e.points for e in entries if e.payee == player)
            - sum(e.points for e in entries if e.payer == player),
        )
        for player in players
    )


def _places(session: Case, running: Scores, entries: list[SheetEntry]) -> tuple[SheetPlace, ...]:
    scale = standard_points(session, 4) or STANDARD_POINTS
    ordered = sorted(running, key=lambda pair: -pair[1])
    scores = [points for _, points in ordered]
    found = []
    for player, points in ordered:
        first, count = scores.index(points), scores.count(points)
        fined = sum(e.points for e in entries if e.payer == player and e.payee is None)
        standard = Fraction(sum(scale[first : first + count])) / count
        decided = "shared" if count > 1 else "score"
        found.append(
            SheetPlace(player, first + 1, points, fined, standard, decided, "2006, article 9 (cut)")
        )
    return tuple(found)


def _number_of_deals(count: int) -> Iterator[Problem]:
    if count > DEALS:
        yield Problem(
            "session_deals",
            Severity.WARNING,
            f"{count} deals are logged, and four rounds have {DEALS} (2006, 3.4.4): they are all "
            "counted.",
            f"记录了{count}盘，而四圈为{DEALS}盘（2006，3.4.4）：均已计入。",
        )
    elif count < DEALS:
        yield problem(
            "session_deals",
            f"{count} of {DEALS} deals are logged (2006, 3.4.4): the places are those so far.",
            f"已记{count}盘，四圈共{DEALS}盘（2006，3.4.4）：名次为至此的名次。",
        )


def _what_the_print_lacks(session: Case, fined: bool) -> Iterator[Problem]:
    if session.get("standard_points") is None:
        yield problem(
            "session_text_lacks",
            "Standard points: articles 9 and 10 are not in the 2006 print at hand (it breaks off "
            "in article 8) and not in the 1998 text; 4, 2, 1, 0 is tournament practice, and equal "
            "scores share the mean.",
            "标准分：所据2006年版在第八条中断，无第九、十条，1998年版亦无；4、2、1、0为比赛惯例，"
            "同分者均分。",
        )
    if fined:
        yield problem(
            "session_text_lacks",
            "Penalties and false wins (错和): article 11 is not in the 2006 print at hand and not "
            "in the 1998 text; the points are the referee's.",
            "罚分与错和：所据2006年版无第十一条，1998年版亦无；分数由裁判员判定。",
        )


SESSIONS = SessionRules(FIELDS, mcr_sheet)
"""How a session of this family is settled."""
