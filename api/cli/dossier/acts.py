"""``hupai dossier``: what people do in a case that is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer
from pydantic import ValidationError

from hupai.api.cli.dossier.cases import (
    AsOption,
    CaseArgument,
    PassphraseOption,
    SignOption,
    find,
    opened_cases,
    show_log,
    sign_as,
    who,
)
from hupai.api.cli.options import JsonOption, WinOption
from hupai.api.cli.terminal import ExitCode, fail, print_json, tell
from hupai.api.cli.typer_app import LANGUAGE, App
from hupai.api.contract import to_dict
from hupai.api.dossier.case_json import false_win_out
from hupai.api.dossier.chain.events import Author
from hupai.api.dossier.chain.log import Log
from hupai.api.dossier.schemas import (
    CaseRequest,
    ClaimRequest,
    CorrectionRequest,
    DecisionRequest,
    FineRequest,
    NoteRequest,
    ObjectionRequest,
    PlaceRequest,
    RulingRequest,
    StateRequest,
)
from hupai.api.dossier.service import CaseService
from hupai.scoring.mcr.citations import clause_zh

LeaveOpenOption = Annotated[
    bool,
    typer.Option(
        "--leave-open", help="Continue although something is undecided; the log records what."
    ),
]
R = TypeVar("R", bound=CaseRequest)
Act = Callable[[CaseService, str, Author], Log]
"""Something that a person does in the case of an id."""

ReasonOption = Annotated[
    str, typer.Option("--reason", help="Reason, for the log.", show_default=False)
]


def request(model: type[R], **given: object) -> R:
    """Build a request; an invalid value is bad usage, reported with its option."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = str(first["loc"][0]) if first["loc"] else ""
        said = first["msg"].removeprefix("Value error, ")
        fail(f"--{where}: {said}" if where else said, ExitCode.BAD_USAGE)


_HAND = (
    Parameter("name", Parameter.KEYWORD_ONLY, default="", annotation=AsOption),
    Parameter("sign_with", Parameter.KEYWORD_ONLY, default=None, annotation=SignOption),
    Parameter("passphrase_file", Parameter.KEYWORD_ONLY, default=None, annotation=PassphraseOption),
    Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption),
)
"""Options of every act: who acts, and how the answer is written."""


def _act(describe: Callable[..., Act]) -> Callable[..., None]:
    """Make a command of a function that describes an act by its options.

    The command takes the case and `_HAND` too, does the act, and prints what the case then is.
    """

    @wraps(describe)
    def command(
        *,
        case: str,
        name: str,
        sign_with: Path | None,
        passphrase_file: Path | None,
        as_json: bool,
        **given: Any,
    ) -> None:
        act = describe(**given)
        with opened_cases() as service:
            sign_as(service, sign_with, passphrase_file)
            log = act(service, find(service, case).case.id, who(name, service.signer))
        show_log(log, as_json)

    own = signature(describe, eval_str=True).parameters.values()
    asked = (one.replace(kind=Parameter.KEYWORD_ONLY) for one in own)
    case = Parameter("case", Parameter.KEYWORD_ONLY, annotation=CaseArgument)
    command.__dict__["__signature__"] = signature(command).replace(
        parameters=[case, *asked, *_HAND], return_annotation=None
    )
    return command


@_act
def correct(
    reason: ReasonOption,
    hand: Annotated[
        str | None,
        typer.Argument(
            metavar="HAND", help="The hand as it should be, in notation.", show_default=False
        ),
    ] = None,
    win: WinOption = None,
) -> Act:
    """Propose a correction: the hand in notation, or with --win the tile that won."""
    if hand is None and win is None:
        fail("give the hand, or the winning tile with --win", ExitCode.BAD_USAGE)
    code = None if win is None else win.code
    wanted = request(CorrectionRequest, notation=hand, winning_tile=code, reason=reason)
    return lambda service, id_, author: service.propose(id_, author, wanted)


@_act
def decide(
    number: Annotated[
        int,
        typer.Argument(
            metavar="NUMBER", help="Number of the proposal, as hupai dossier show prints it."
        ),
    ],
    accept: Annotated[
        bool, typer.Option("--accept/--reject", help="Whether the correction is accepted.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why.")] = "",
) -> Act:
    """Decide on a proposed correction."""
    wanted = request(DecisionRequest, accepted=accept, reason=reason)
    return lambda service, id_, author: service.decide(id_, author, number, wanted)


@_act
def claim(
    by: Annotated[str, typer.Option("--by", help="Who claims.", show_default=False)],
    total: Annotated[
        int,
        typer.Option(min=0, help="What is claimed, in the unit of the rules.", show_default=False),
    ],
    fan: Annotated[
        list[str] | None,
        typer.Option("--fan", metavar="FAN", help="A fan that is claimed; may be repeated."),
    ] = None,
    text: Annotated[str, typer.Option(help="In the player's words.")] = "",
) -> Act:
    """Record what a player says the hand scores."""
    wanted = request(ClaimRequest, by=by, total=total, fans=tuple(fan or ()), text=text)
    return lambda service, id_, author: service.claim(id_, author, wanted)


@_act
def object_to(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="What is wrong: a fan, a total, a tile.")
    ],
    by: Annotated[str, typer.Option("--by", help="Who objects.", show_default=False)],
    reason: ReasonOption,
    entry: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Number of the entry objected to, as hupai dossier show prints it.",
            show_default="the case",
        ),
    ] = None,
) -> Act:
    """Record a player's objection: who, to what, and why. It waits for a ruling."""
    wanted = request(ObjectionRequest, by=by, entry=entry, what=what, reason=reason)
    return lambda service, id_, author: service.object(id_, author, wanted)


@_act
def rule(
    outcome: Annotated[
        Literal["win", "false_win", "void"],
        typer.Argument(metavar="OUTCOME", help="win, false_win or void."),
    ],
    reason: ReasonOption,
    total: Annotated[
        int | None,
        typer.Option(min=0, help="By default the current score.", show_default=False),
    ] = None,
    clause: Annotated[str, typer.Option(help="Clause that the ruling rests on.")] = "",
    fine: Annotated[
        str, typer.Option(metavar="RULES/OFFENCE", help="A fine, e.g. sichuan-2024/false_win.")
    ] = "",
    points: Annotated[
        int | None,
        typer.Option(
            min=0, help="Points of the fine, if the rules do not set them.", show_default=False
        ),
    ] = None,
    leave_open: LeaveOpenOption = False,
) -> Act:
    """Rule on a case."""
    rules, _, offence = fine.partition("/")
    if fine and not offence:
        fail(f"--fine {fine}: write RULES/OFFENCE, e.g. sichuan-2024/false_win", ExitCode.BAD_USAGE)
    chosen = FineRequest(rules=rules, offence=offence, points=points) if fine else None
    wanted = request(
        RulingRequest,
        outcome=outcome,
        total=total,
        reason=reason,
        clause=clause,
        fine=chosen,
        leave_open=leave_open,
    )
    return lambda service, id_, author: service.rule(id_, author, wanted)


@_act
def place(
    tournament: Annotated[str | None, typer.Option(help="Tournament.")] = None,
    session: Annotated[str | None, typer.Option(help="Session.")] = None,
    table: Annotated[str | None, typer.Option(help="Table.")] = None,
    round_: Annotated[str | None, typer.Option("--round", help="Round, e.g. 'East 4'.")] = None,
    hand: Annotated[str | None, typer.Option(help="Number of the hand.")] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT=NAME",
            help="A player, e.g. E=Anna or E=Anna#12 with a number; may be repeated.",
        ),
    ] = None,
    winner: Annotated[str | None, typer.Option(metavar="SEAT", help="Who won.")] = None,
    discarder: Annotated[str | None, typer.Option(metavar="SEAT", help="Who discarded.")] = None,
) -> Act:
    """Record where the hand was played, and by whom; omitted fields stay unchanged."""
    wanted = request(
        PlaceRequest,
        tournament=tournament,
        session=session,
        table=table,
        round=round_,
        hand=hand,
        winner=winner.upper() if winner else None,
        discarder=discarder.upper() if discarder else None,
        players=[_player(one) for one in player] if player else None,
    )
    return lambda service, id_, author: service.place(id_, author, wanted)


def _player(text: str) -> dict[str, str]:
    seat, equals, named = text.partition("=")
    if not equals:
        fail(f"--player {text}: write SEAT=NAME, e.g. E=Anna", ExitCode.BAD_USAGE)
    called, _, number = named.partition("#")
    return {"seat": seat.strip().upper(), "name": called.strip(), "number": number.strip()}


def false_win(case: CaseArgument, as_json: JsonOption = False) -> None:
    """Show what the hand lacked under each rule set, and the fines; those that fit are marked."""
    with opened_cases() as service:
        helped = service.false_win(find(service, case).case, None, ())
    if as_json:
        print_json(to_dict(false_win_out(helped)))
        return
    chinese = LANGUAGE.get() == "zh"
    for one in helped:
        tell(f"{one.rules}: {'wins' if one.wins else 'no win'}")
        for part in one.missing:
            typer.echo(f"    {part.message_zh if chinese else part.message}")
        if one.to_ready == 0:
            tell("    it was ready")
        elif one.to_ready == 1:
            tell("    1 tile from being ready")
        elif one.to_ready is not None:
            tell(f"    {one.to_ready} tiles from being ready")
        for choice in one.choices:
            fixed = choice.points is not None
            points = f"{choice.points} points" if fixed else "the referee sets the points"
            names = {"zh": choice.name_zh, "en": choice.name_en}
            name = names.get(LANGUAGE.get(), f"{choice.name_zh} {choice.name_en}")
            offence = f"{one.rules}/{choice.offence} {name}"
            clause = clause_zh(choice.clause) if chinese else choice.clause
            tell(f"  {'*' if choice.fits else ' '} {offence}: {points} ({clause})")
    if any(one.choices for one in helped):
        tell("*: fits what was missing: hupai dossier rule CASE false_win --fine RULES/OFFENCE")


@_act
def add_note(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The remark.", show_default=False)],
) -> Act:
    """Add a remark."""
    wanted = request(NoteRequest, text=text)
    return lambda service, id_, author: service.note(id_, author, wanted)


@_act
def close(
    reason: ReasonOption,
    leave_open: LeaveOpenOption = False,
) -> Act:
    """Close a case: nothing more is added until it is opened again."""
    wanted = request(StateRequest, closed=True, reason=reason, leave_open=leave_open)
    return lambda service, id_, author: service.set_state(id_, author, wanted)


@_act
def reopen(
    reason: ReasonOption,
) -> Act:
    """Open a closed case again."""
    wanted = request(StateRequest, closed=False, reason=reason)
    return lambda service, id_, author: service.set_state(id_, author, wanted)


def add_to(app: App) -> None:
    """Add the commands to those of ``hupai dossier``."""
    case = "0192f3a0"
    for name, act, example in (
        ("correct", correct, f"{case} '123m456p789sEEE5s +5s' --reason 'the 6p was read as 9p'"),
        ("decide", decide, f"{case} 4 --accept --reason 'seen on the second photo'"),
        ("claim", claim, f"{case} --by East --total 24 --fan 清龙"),
        ("object", object_to, f"{case} 清龙 --by South --entry 5 --reason 'the 6p was claimed'"),
        ("place", place, f"{case} --table 3 --round 'East 4' --player E=Anna --player S=Ben"),
        ("rule", rule, f"{case} false_win --reason 'below 8 fan'"),
        ("false-win", false_win, case),
        ("note", add_note, f"{case} 'The photo was taken by the table referee.'"),
        ("close", close, f"{case} --reason settled"),
        ("reopen", reopen, f"{case} --reason 'new photo'"),
    ):
        app.add(name, f"hupai dossier {name} {example}")(act)
