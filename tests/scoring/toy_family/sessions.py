"""Sessions of the toy family: the winner gets five points from the one who pays."""

from __future__ import annotations

from hupai.scoring.cases.fields import Case, as_object, as_sequence
from hupai.scoring.sessions.sheet import SessionRules, Sheet, SheetPlace, SheetRow, added


def toy_sheet(session: Case) -> Sheet:
    """Settle the deals in order."""
    players = tuple(str(name) for name in as_sequence(session.get("players"), "players"))
    running = tuple((player, 0) for player in players)
    rows = []
    for number, value in enumerate(as_sequence(session["deals"], "deals"), 1):
        deal = as_object(value, f"deals[{number - 1}]")
        net = tuple(
            (player, 5 * (player == deal["winner"]) - 5 * (player == deal["from"]))
            for player in players
        )
        running = added(running, net)
        rows.append(SheetRow(number, None, None, (str(deal["winner"]),), net, running))
    ranked = sorted(running, key=lambda score: -score[1])
    places = tuple(
        SheetPlace(player, rank, score, 0, None, "score", "")
        for rank, (player, score) in enumerate(ranked, 1)
    )
    return Sheet("toy-16", players, tuple(rows), (), places, None, ())


SESSIONS = SessionRules(frozenset({"rules", "players", "deals"}), toy_sheet)
