"""A game of riichi: deposits, counters, ready hands at a draw, and places with uma and oka.

A deal is one of

    {"type": "win", "player", "from" or "self_drawn", "hand" or "han" and "fu" or "yakuman"}
    {"type": "win", "winners": [{"player", "hand" or "han" …}, ...], "from"}
    {"type": "draw", "tenpai": [names]}
    {"type": "abort"}
    {"type": "chombo", "player", "points": what the event takes off}

and may have ``riichi``: [names of those whose deposit lies on the table]. A hand may have
`dora_indicators`, `ura_indicators` and the flags of a win. Counters and deposits are kept by the
program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from hupai.scoring.cases.fields import (
    Case,
    CaseFormatError,
    as_sequence,
    flag,
    hand_in,
    text,
    tile_run,
    whole_number,
)
from hupai.scoring.checks.catalogue import problem
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import Problem, sentences
from hupai.scoring.riichi.evaluation import cost_of, least_han
from hupai.scoring.riichi.profiles import Placing
from hupai.scoring.riichi.reading import Win
from hupai.scoring.riichi.rules import RULES, RiichiRules
from hupai.scoring.sessions.seats import (
    at_table,
    claims_of,
    deals_of,
    discarder_of,
    four_players,
    naming_deal,
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
    of_deal,
)
from hupai.scoring.tiles import WINDS

COUNTER = 100
"""What a counter adds to what each of three pays; a discarder pays it three times."""

DEPOSIT = 1000
"""A riichi deposit."""

TENPAI = 3000
"""What those who are not ready pay together to those who are, after a draw."""

MOST_YAKUMAN = 8
"""More than any hand has: 大四喜 and 四暗刻单骑 doubled, with 字一色, 四杠子 and 天和."""

MOST_FU = 140
"""Most fu below five han: three concealed kongs of terminals or honours, a closed wait and a pair
of a value tile, won on a discard.
"""

FIELDS = frozenset({"rules", "players", "dealer", "deals"})
"""Fields of a riichi game."""

_FLAGS = (
    "double_riichi",
    "ippatsu",
    "kong_replacement",
    "robbing_kong",
    "last_tile",
    "heavenly_win",
    "earthly_win",
    "human_win",
)
_WORTH = ("hand", "han", "fu", "yakuman", "dora_indicators", "ura_indicators", *_FLAGS)
_DEAL_FIELDS = frozenset(
    {"type", "player", "from", "self_drawn", "winners", "riichi", "tenpai", "points", "note"}
    | set(_WORTH)
)
_TYPES = ("win", "draw", "abort", "chombo")
_BY_ID = {rules.id: rules for rules in RULES}


@dataclass(slots=True)
class _Table:
    """A game as it stands: who deals, how often the deal passed, counters and deposits."""

    rules: RiichiRules
    players: tuple[str, ...]
    dealer: int
    passed: int = 0
    counters: int = 0
    deposits: int = 0
    clause: str = field(init=False)

    def __post_init__(self) -> None:
        self.clause = self.rules.profile.points_clause

    @property
    def round(self) -> int:
        """The round of winds, from 1."""
        return self.passed // 4 + 1

    def how(self, player: str, drawn: bool) -> dict[str, object]:
        """Return what the table knows of how a player won."""
        seat = WINDS[(self.players.index(player) - self.dealer) % 4]
        return {
            "self_drawn": drawn,
            "seat_wind": seat,
            "round_wind": WINDS[(self.round - 1) % 4],
        }

    def after(self, stays: bool, counts: bool) -> None:
        """Go to the next deal: the dealer stays or not, a counter is added or all are gone."""
        self.counters = self.counters + 1 if counts else 0
        if not stays:
            self.dealer = (self.dealer + 1) % 4
            self.passed += 1


@dataclass(slots=True)
class _Deal:
    """What a deal moved."""

    winners: tuple[str, ...] = ()
    entries: list[SheetEntry] = field(default_factory=list)
    fines: list[tuple[str, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def net(self, players: Iterable[str]) -> Scores:
        """Sum it up by player."""
        total = dict.fromkeys(players, 0)
        for one in self.entries:
            if one.payer in total:
                total[one.payer] -= one.points
            if one.payee in total:
                total[one.payee] += one.points
        for player, points in self.fines:
            total[player] -= points
        return tuple(total.items())


def riichi_sheet(session: Case) -> Sheet:
    """Settle the deals of a game in order and give the places.

    Raises:
        CaseFormatError: naming the deal and the field of what cannot be read.
    """
    players = four_players(session)
    first = at_table(str(session.get("dealer", players[0])), players, "dealer")
    table = _Table(_BY_ID[text(session, "rules")], players, players.index(first))
    running: Scores = tuple((player, 0) for player in players)
    rows: list[SheetRow] = []
    fines: list[SheetFine] = []
    problems: list[Problem] = []
    for number, deal, at in deals_of(session, _DEAL_FIELDS):
        dealer, round_ = players[table.dealer], table.round
        with naming_deal(number):
            found = _settle(deal, table, at)
        net = found.net(players)
        running = added(running, net)
        entries = tuple(found.entries)
        rows.append(SheetRow(number, dealer, round_, found.winners, net, running, entries))
        fines += [
            SheetFine(number, player, points, table.clause, "chombo", "错和")
            for player, points in found.fines
        ]
        problems += of_deal(number, found.problems)
    running, left = _left_over(running, table, players)
    places = _places(running, table.rules, fines)
    return Sheet(
        table.rules.id,
        players,
        tuple(rows),
        tuple(fines),
        places,
        players[table.dealer],
        (*problems, *left, *balance_problems(places)),
    )


def _settle(given: Case, table: _Table, at: str) -> _Deal:
    kind = text(given, "type", f"{at}.", _TYPES)
    deal = _Deal()
    declared = _names(given, "riichi", table, at)
    if kind != "chombo":
        for player in declared:
            deal.entries.append(_entry(player, None, DEPOSIT, table, "riichi deposit", "立直棒"))
        table.deposits += len(declared)
    if kind == "win":
        _win(given, deal, table, declared, at)
    elif kind == "draw":
        _draw(_names(given, "tenpai", table, at), deal, table)
    elif kind == "abort":
        table.after(stays=True, counts=True)
    elif kind == "chombo":
        offender = at_table(text(given, "player", f"{at}."), table.players, f"{at}.player")
        deal.fines.append((offender, whole_number(given, "points", f"{at}.", default=0, least=0)))
    else:
        raise CaseFormatError(f"{at}.type", f"{kind!r} is no deal: use {', '.join(_TYPES)}")
    return deal


def _names(given: Case, name: str, table: _Table, at: str) -> tuple[str, ...]:
    listed = as_sequence(given.get(name), f"{at}.{name}")
    named = tuple(at_table(str(one), table.players, f"{at}.{name}") for one in listed)
    if len(set(named)) < len(named):
        raise CaseFormatError(f"{at}.{name}", "a player is named twice")
    return named


def _entry(
    payer: str, payee: str | None, points: int, table: _Table, en: str, zh: str
) -> SheetEntry:
    return SheetEntry(None, payer, payee, points, table.clause, en, zh)


def _win(given: Case, deal: _Deal, table: _Table, declared: tuple[str, ...], at: str) -> None:
    discarder = discarder_of(given, table.players, at)
    claims = claims_of(given, at)
    if discarder is None and len(claims) > 1:
        raise CaseFormatError(f"{at}.winners", "only one player can win by drawing")
    named = [
        (at_table(text(one, "player", f"{place}."), table.players, f"{place}.player"), one, place)
        for one, place in claims
    ]
    if discarder is not None:
        start = table.players.index(discarder)
        named.sort(key=lambda claim: (table.players.index(claim[0]) - start) % 4)
        if len(named) > 1 and not table.rules.options.several_ron:
            deal.problems.append(_only_the_nearest())
            named = named[:1]
    if len({name for name, _, _ in named}) < len(named):
        raise CaseFormatError(f"{at}.winners", "a player is named twice")
    if any(name == discarder for name, _, _ in named):
        raise CaseFormatError(f"{at}.from", "nobody wins on an own discard")
    dealer = table.players[table.dealer]
    for place, (name, one, where) in enumerate(named):
        how = table.how(name, discarder is None)
        amounts = _amounts(one, given, table.rules, how, name in declared, where)
        deal.problems += _impossible(one, table.rules, name, discarder is None)
        counters = table.counters if place == 0 else 0
        deal.entries += _payments(table, name, discarder, amounts, counters)
    winner = named[0][0]
    if table.deposits:
        points = DEPOSIT * table.deposits
        deal.entries.append(_entry("table", winner, points, table, "riichi deposits", "立直棒"))
    deal.winners = tuple(name for name, _, _ in named)
    table.deposits = 0
    stays = dealer in deal.winners
    table.after(stays=stays, counts=stays)


def _payments(
    table: _Table, winner: str, discarder: str | None, amounts: tuple[int, int], counters: int
) -> Iterator[SheetEntry]:
    """Yield who pays a win; `amounts` are those of the main payer and of each other one."""
    main, additional = amounts
    if discarder is not None:
        points = main + 3 * COUNTER * counters
        yield _entry(discarder, winner, points, table, "ron", "荣和")
        return
    dealer = table.players[table.dealer]
    for payer in table.players:
        if payer != winner:
            points = (main if dealer in (winner, payer) else additional) + COUNTER * counters
            yield _entry(payer, winner, points, table, "tsumo", "自摸")


def _amounts(
    one: Case, given: Case, rules: RiichiRules, how: dict[str, object], riichi: bool, at: str
) -> tuple[int, int]:
    """Return what the main payer and each other one pay, without counters and deposits."""
    flags = {name: True for name in _FLAGS if flag(one, name, f"{at}.") or flag(given, name)}
    for name in ("dora_indicators", "ura_indicators"):
        shown = one.get(name, given.get(name))
        if shown is not None:
            how = {**how, name: tile_run(shown, f"{at}.{name}")}
    circumstances = Circumstances(**how, **flags, riichi=riichi)  # type: ignore[arg-type]
    if one.get("hand") is not None:
        score = rules.score(hand_in(one.get("hand"), f"{at}.hand"), circumstances)
        if not score.legal:
            why, why_zh = sentences(score.problems)
            raise CaseFormatError(f"{at}.hand", f"does not win: {why}", f"不能和：{why_zh}")
        amounts = {payment.payer: payment.amount for payment in score.payments}
        main = next(amounts[p] for p in ("discarder", "robbed", "each", "dealer") if p in amounts)
        return main, amounts.get("non_dealer", main)
    yakuman = whole_number(one, "yakuman", f"{at}.", default=0, least=0, most=MOST_YAKUMAN)
    if yakuman > 1 and not (rules.options.yakuman_add_up or rules.options.double_yakuman):
        raise CaseFormatError(
            f"{at}.yakuman",
            "these rules count one yakuman at most: give 1",
            "本规则最多计一个役满：请给 1",
        )
    han = 13 * yakuman or whole_number(one, "han", f"{at}.", least=1)
    fu = whole_number(one, "fu", f"{at}.", default=0)
    if han < 5 and fu not in (20, 25, *range(30, MOST_FU + 1, 10)):
        raise CaseFormatError(f"{at}.fu", f"give the fu, 20 to {MOST_FU}, below five han")
    cost = cost_of(Win(Hand(()), circumstances, rules.options), han, fu, yakuman > 0)
    return cost.main, cost.additional


def _impossible(one: Case, rules: RiichiRules, player: str, drawn: bool) -> Iterator[Problem]:
    """Find han and fu that no hand has together. What is logged so is paid all the same."""
    if one.get("hand") is not None or one.get("yakuman"):
        return
    han, fu = whole_number(one, "han"), whole_number(one, "fu", default=0)
    least = least_han(fu, self_drawn=drawn, options=rules.options)
    if han >= least:
        return
    how, how_zh = ("a drawn tile", "自摸") if drawn else ("a discard", "荣和")
    why, why_zh = (f"{fu} fu come with {least} han or more", f"{fu}符至少{least}翻")
    if least == 5:
        why, why_zh = f"no such win below five han has {fu} fu", f"不足五翻时没有{fu}符"
    yield problem(
        "session_han_fu",
        f"{player}'s win on {how} cannot have {han} han and {fu} fu, as {why}: check both.",
        f"{player} {how_zh}不可能是{han}翻{fu}符（{why_zh}）：请核对。",
    )


def _draw(ready: tuple[str, ...], deal: _Deal, table: _Table) -> None:
    others = [player for player in table.players if player not in ready]
    if ready and others:
        for payer in others:
            for payee in ready:
                points = TENPAI // (len(ready) * len(others))
                deal.entries.append(_entry(payer, payee, points, table, "not ready", "未听牌"))
    table.after(stays=table.players[table.dealer] in ready, counts=True)


def _only_the_nearest() -> Problem:
    return problem(
        "session_nearest",
        "Only the winner next in turn to the discarder counts under these rules: the others are "
        "not paid.",
        "本规则只有离放铳者最近的一家和牌：其余不付分。",
    )


def _left_over(
    running: Scores, table: _Table, players: tuple[str, ...]
) -> tuple[Scores, tuple[Problem, ...]]:
    """Give deposits that are left to the first, as at the end of a game."""
    if not table.deposits:
        return running, ()
    first = max(players, key=lambda player: dict(running)[player])
    points = DEPOSIT * table.deposits
    said = problem(
        "session_deposits",
        f"{table.deposits} riichi deposits are left on the table: {first}, who is ahead, takes "
        "them if the game ends here.",
        f"桌上余 {table.deposits} 根立直棒：若在此终局，归领先的{first}。",
    )
    return added(running, ((first, points),)), (said,)


def _places(
    running: Scores, rules: RiichiRules, fines: Iterable[SheetFine]
) -> tuple[SheetPlace, ...]:
    """Rank the players: points against the return points, uma by place, oka for the first."""
    placing = rules.options.placing
    fined = {name: sum(f.points for f in fines if f.player == name) for name, _ in running}
    ordered = sorted(running, key=lambda pair: -pair[1])
    scores = [points for _, points in ordered]
    bonus = _bonuses([placing.start + points for points in scores], placing)
    clause = dict(rules.profile.sources)["placing"]
    return tuple(
        SheetPlace(
            player,
            1 + (scores.index(points) if placing.shared else at),
            points,
            fined[player],
            Fraction(placing.start + points - placing.return_points, 1000) + bonus[at] / 1000,
            "shared" if placing.shared and scores.count(points) > 1 else "score",
            clause,
        )
        for at, (player, points) in enumerate(ordered)
    )


def _bonuses(points: list[int], placing: Placing) -> list[Fraction]:
    """Return uma and oka of each place, best first; equal points share theirs where they do."""
    above = sum(one >= placing.return_points for one in points)
    uma = placing.uma
    if placing.uma_by_floating and 1 <= above <= 3:
        uma = placing.uma_by_floating[above - 1]
    oka = 4 * (placing.return_points - placing.start)
    each = [Fraction(one) for one in uma]
    each[0] += oka
    if not placing.shared:
        return each
    return [
        Fraction(sum(each[i] for i in _equal(points, at)), len(_equal(points, at)))
        for at in range(4)
    ]


def _equal(points: list[int], at: int) -> list[int]:
    return [i for i, one in enumerate(points) if one == points[at]]


SESSIONS = SessionRules(FIELDS, riichi_sheet)
"""How a session of this family is settled."""
