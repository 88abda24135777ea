"""Cases of disputed hands as the command line opens, finds and shows them."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from hupai.api.cli.opening import load_settings, opened_storage
from hupai.api.cli.terminal import (
    ExitCode,
    bad_usage,
    fail,
    message_of,
    note,
    os_reason,
    print_json,
)
from hupai.api.cli.typer_app import LANGUAGE
from hupai.api.dossier.chain.events import Author
from hupai.api.dossier.chain.key_ring import PersonalKey, PersonUnknownError
from hupai.api.dossier.chain.keys import KeyDamagedError, SigningKey
from hupai.api.dossier.chain.log import Log
from hupai.api.dossier.service import CaseService
from hupai.api.hands.photo_work.decoding import Decoding
from hupai.api.web.problems import ApiProblem
from hupai.scoring.errors import HupaiError
from hupai.vision.photo.decode import DEFAULT_LIMITS

_ID_LENGTH = 36
_PAGE = 200
"""Cases looked through at a time."""

CaseArgument = Annotated[
    str,
    typer.Argument(metavar="CASE", help="Id of the case, or its beginning.", show_default=False),
]
AsOption = Annotated[
    str,
    typer.Option("--as", metavar="NAME", help="Your name, for the log.", show_default="your login"),
]
SignOption = Annotated[
    Path | None,
    typer.Option(
        "--sign-with",
        metavar="FILE",
        envvar="HUPAI_SIGN_WITH",
        help="Your own key (hupai dossier signer): it signs instead of the installation's.",
        show_default=False,
    ),
]
PassphraseOption = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        metavar="FILE",
        help="File with the passphrase of your key; without it, you are asked.",
        show_default=False,
    ),
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
        yield CaseService(storage, Decoding(DEFAULT_LIMITS))


@contextmanager
def refused() -> Iterator[None]:
    """Print a problem of the service on standard error, and end with exit code 1."""
    try:
        yield
    except ApiProblem as problem:
        cause = problem.__cause__
        chinese = LANGUAGE.get() == "zh"
        said = [problem.detail_zh if chinese else problem.detail]
        if cause:
            said.append(message_of(cause) if isinstance(cause, HupaiError) else str(cause))
        if problem.advice:
            said.append(problem.advice[chinese])
        fail(" ".join(said))


def who(name: str, signer: PersonalKey | None = None) -> Author:
    """Return who works at this machine: whoever may read the data folder acts as referee.

    With a person's key, that person's name is written to the log, and no other.
    """
    if signer is not None and name not in ("", signer.name):
        fail(f"--as {name}: the key is that of {signer.name}", ExitCode.BAD_USAGE)
    stated = signer.name if signer is not None else name or _login()
    return Author(name="local", role="referee", stated=stated)


def sign_as(service: CaseService, path: Path | None, passphrase_file: Path | None) -> None:
    """Let a person's key sign what follows, if one is given."""
    if path is None:
        return
    key = unlocked(path, passphrase_file)
    with bad_usage(PersonUnknownError):
        service.signer = service.ring().person(key)


def unlocked(path: Path, passphrase_file: Path | None) -> SigningKey:
    """Open a person's key, with the passphrase from a file or as it is typed."""
    try:
        return SigningKey.open_encrypted(path, read_passphrase(passphrase_file))
    except KeyDamagedError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{path}: {os_reason(error)}")


def read_passphrase(path: Path | None, *, confirm: bool = False) -> str:
    """Return the passphrase in a file, or ask for it."""
    if path is None:
        asked: str = typer.prompt(
            "Passphrase", hide_input=True, confirmation_prompt=confirm, err=True
        )
        return asked
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except OSError as error:
        fail(f"{path}: {os_reason(error)}")
    except UnicodeDecodeError:
        fail(f"{path} is not text")


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def find(service: CaseService, case: str) -> Log:
    """Return the case with this id, or the one whose id begins or ends so."""
    if len(case) < _ID_LENGTH:
        known = [
            one
            for one in _all_ids(service)
            if one.startswith(case.lower()) or one.endswith(case.lower())
        ]
        if len(known) != 1:
            fail(
                f"{len(known)} cases have {case!r} in their id: hupai dossier list shows them",
                ExitCode.BAD_USAGE,
            )
        case = known[0]
    return service.read(case)


def _all_ids(service: CaseService) -> Iterator[str]:
    """Yield the id of every case, the newest first."""
    before = None
    while page := service.list(_PAGE, before, None, None):
        yield from (one.id for one in page)
        before = page[-1].id


def show_log(log: Log, as_json: bool) -> None:
    """Print what the case is after an act."""
    case = log.case
    if as_json:
        document = {"case": case.id, "state": case.state.value, "entry": case.last.seq}
        print_json({**document, "events": case.events, "head": case.head})
    else:
        typer.echo(case.id)
        note(f"entry {case.last.seq}: {case.last.body.kind.replace('_', ' ')}")
