"""``hupai dossier``: what people do in a case that is open."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from hupai.api.cli.commands.dossier import AsOption, CaseArgument, app, cases, found, told, who
from hupai.api.cli.common import ExitCode, JsonOption, WinOption, fail
from hupai.api.contract.serialise import json_line
from hupai.api.dossier.schemas import (
    ClaimRequest,
    CorrectionRequest,
    DecisionRequest,
    FineRequest,
    NoteRequest,
    RulingRequest,
    StateRequest,
)

__all__ = ["app"]

ReasonOption = Annotated[
    str, typer.Option("--reason", help="Why; stands in the log.", show_default=False)
]


@app.command("correct")
def correct(
    case: CaseArgument,
    reason: ReasonOption,
    hand: Annotated[
        str | None,
        typer.Argument(
            metavar="HAND", help="The hand as it should be, in notation.", show_default=False
        ),
    ] = None,
    win: WinOption = None,
    name: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Propose a correction: the hand in notation, or with --win the tile that won."""
    if hand is None and win is None:
        fail("give the hand, or the winning tile with --win", ExitCode.BAD_USAGE)
    wanted = CorrectionRequest(
        notation=hand, winning_tile=None if win is None else win.code, reason=reason
    )
    with cases() as service:
        log = service.propose(found(service, case).case.id, who(name), wanted)
    told(log, as_json)


@app.command("decide")
def decide(
    case: CaseArgument,
    number: Annotated[
        int,
        typer.Argument(
            metavar="NUMBER", help="Entry of the proposal, as hupai dossier show numbers it."
        ),
    ],
    accept: Annotated[
        bool, typer.Option("--accept/--reject", help="Whether the correction is accepted.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why.")] = "",
    name: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Decide on a proposed correction."""
    with cases() as service:
        wanted = DecisionRequest(accepted=accept, reason=reason)
        log = service.decide(found(service, case).case.id, who(name), number, wanted)
    told(log, as_json)


@app.command("claim")
def claim(
    case: CaseArgument,
    by: Annotated[str, typer.Option("--by", help="Who claims.", show_default=False)],
    total: Annotated[
        int,
        typer.Option(min=0, help="What is claimed, in the unit of the rules.", show_default=False),
    ],
    fan: Annotated[
        list[str] | None, typer.Option("--fan", help="A fan that is claimed; may be repeated.")
    ] = None,
    text: Annotated[str, typer.Option(help="In the player's words.")] = "",
    name: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Note what a player says the hand is worth."""
    with cases() as service:
        wanted = ClaimRequest(by=by, total=total, fans=tuple(fan or ()), text=text)
        log = service.claim(found(service, case).case.id, who(name), wanted)
    told(log, as_json)


@app.command("rule")
def rule(
    case: CaseArgument,
    outcome: Annotated[
        Literal["win", "false_win", "void"], typer.Argument(help="What is decided.")
    ],
    reason: ReasonOption,
    total: Annotated[
        int | None,
        typer.Option(min=0, help="By default the score that stands.", show_default=False),
    ] = None,
    clause: Annotated[str, typer.Option(help="Clause that the ruling rests on.")] = "",
    fine: Annotated[
        str, typer.Option(metavar="RULES/OFFENCE", help="A fine, e.g. sichuan-2024/false_win.")
    ] = "",
    points: Annotated[
        int | None,
        typer.Option(
            min=0, help="Points off, where the rules leave them open.", show_default=False
        ),
    ] = None,
    name: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Rule on a case."""
    rules, _, offence = fine.partition("/")
    if fine and not offence:
        fail(f"--fine {fine}: write RULES/OFFENCE, e.g. sichuan-2024/false_win", ExitCode.BAD_USAGE)
    chosen = FineRequest(rules=rules, offence=offence, points=points) if fine else None
    with cases() as service:
        wanted = RulingRequest(
            outcome=outcome, total=total, reason=reason, clause=clause, fine=chosen
        )
        log = service.rule(found(service, case).case.id, who(name), wanted)
    told(log, as_json)


@app.command("false-win")
def false_win(case: CaseArgument, as_json: JsonOption = False) -> None:
    """What the hand lacked under each rule set, and the fines to choose from; those that fit are
    marked.
    """
    from hupai.api.dossier.case_json import false_win_out

    with cases() as service:
        helped = service.false_win(found(service, case).case, None, ())
    if as_json:
        typer.echo(json_line(false_win_out(helped).model_dump(mode="json")))
        return
    for one in helped:
        typer.echo(f"{one.rules}: {'wins' if one.wins else 'no win'}")
        for part in one.missing:
            typer.echo(f"    {part.message} {part.message_zh}")
        if one.to_ready is not None:
            typer.echo(
                f"    {one.to_ready} tiles from being ready" if one.to_ready else "    it was ready"
            )
        for choice in one.choices:
            points = (
                "the referee sets the points"
                if choice.points is None
                else f"{choice.points} points"
            )
            typer.echo(
                f"  {'*' if choice.fits else ' '} {one.rules}/{choice.offence} {choice.name_zh}: {points} ({choice.clause})"
            )


@app.command("note")
def add_note(
    case: CaseArgument,
    text: Annotated[str, typer.Argument(help="The remark.", show_default=False)],
    name: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Add a remark."""
    with cases() as service:
        log = service.note(found(service, case).case.id, who(name), NoteRequest(text=text))
    told(log, as_json)


@app.command("close")
def close(
    case: CaseArgument, reason: ReasonOption, name: AsOption = "", as_json: JsonOption = False
) -> None:
    """Close a case: nothing more is added until it is opened again."""
    with cases() as service:
        log = service.set_state(
            found(service, case).case.id, who(name), StateRequest(closed=True, reason=reason)
        )
    told(log, as_json)


@app.command("reopen")
def reopen(
    case: CaseArgument, reason: ReasonOption, name: AsOption = "", as_json: JsonOption = False
) -> None:
    """Open a closed case again."""
    with cases() as service:
        log = service.set_state(
            found(service, case).case.id, who(name), StateRequest(closed=False, reason=reason)
        )
    told(log, as_json)
