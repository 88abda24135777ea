"""Cases of disputed hands as the command line opens, finds and shows them."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from hupai.api.cli.opening import load_settings, opened_storage
from hupai.api.cli.terminal import ExitCode, fail, print_json
from hupai.api.dossier.chain.events import Author
from hupai.api.dossier.chain.log import Log
from hupai.api.dossier.service import CaseService
from hupai.api.web.problems import ApiProblem
from hupai.vision.photo.decode import DEFAULT_LIMITS

_ID_LENGTH = 36

CaseArgument = Annotated[
    str,
    typer.Argument(metavar="CASE", help="Id of the case, or its beginning.", show_default=False),
]
AsOption = Annotated[
    str,
    typer.Option("--as", metavar="NAME", help="Your name, for the log.", show_default="your login"),
]
ZoneOption = Annotated[
    str,
    typer.Option(
        metavar="ZONE",
        help="Time zone of the report's times, e.g. Europe/Paris or +08:00.",
        show_default="this machine's, when a case is opened",
    ),
]


@contextmanager
def opened_cases() -> Iterator[CaseService]:
    """Open the cases in the data folder of the settings."""
    with opened_storage(load_settings()) as storage, refused():
        yield CaseService(storage, DEFAULT_LIMITS)


@contextmanager
def refused() -> Iterator[None]:
    """Tell a problem of the service on standard error, and end with exit code 1."""
    try:
        yield
    except ApiProblem as problem:
        cause = problem.__cause__
        fail(f"{problem.detail} {cause}" if cause else problem.detail)


def who(name: str) -> Author:
    """Return who works at this machine: whoever may read the data folder acts as referee."""
    return Author(name="local", role="referee", stated=name or _login())


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def find(service: CaseService, case: str) -> Log:
    """Return the case with this id, or the one whose id begins or ends so."""
    if len(case) < _ID_LENGTH:
        known = [
            one.id
            for one in service.list(200, None, None, None)
            if one.id.startswith(case.lower()) or one.id.endswith(case.lower())
        ]
        if len(known) != 1:
            fail(
                f"{len(known)} cases have {case!r} in their id: hupai dossier list shows them",
                ExitCode.BAD_USAGE,
            )
        case = known[0]
    return service.read(case)


def show_log(log: Log, as_json: bool) -> None:
    """Print what the case is after an act."""
    case = log.case
    if as_json:
        document = {"case": case.id, "state": case.state.value}
        print_json({**document, "events": case.events, "head": case.head})
    else:
        typer.echo(case.id)
