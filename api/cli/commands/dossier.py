"""``hupai dossier``: cases of disputed hands; open, export, print, verify. What people do in one:
`hupai.api.cli.commands.dossier_acts`.
"""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hupai.api.cli.circumstance_flags import circumstance_flags
from hupai.api.cli.common import ExitCode, JsonOption, fail, finish, note, out, parse_rules
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.serialise import json_line

if TYPE_CHECKING:
    from hupai.api.dossier.chain.events import Author
    from hupai.api.dossier.chain.log import Log
    from hupai.api.dossier.service import CaseService
    from hupai.vision.types import PhotoReading

app = typer.Typer(
    help="Cases of disputed hands, kept as signed logs. 裁判案卷。", no_args_is_help=True
)

CaseArgument = Annotated[
    str,
    typer.Argument(metavar="CASE", help="Id of the case, or its beginning.", show_default=False),
]
AsOption = Annotated[
    str,
    typer.Option("--as", metavar="NAME", help="Your name, for the log.", show_default="your login"),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Where to write it; - for standard output."
    ),
]


@contextmanager
def cases() -> Iterator[CaseService]:
    """The cases in the data folder of the settings; stops with a message where they cannot be
    used.
    """
    from pydantic import ValidationError

    from hupai.api.dossier.service import CaseService
    from hupai.api.storage import StorageError
    from hupai.api.web.problems import ApiProblem
    from hupai.api.web.settings import Settings
    from hupai.api.web.storage_access import storage_of
    from hupai.vision.photo.decode import DEFAULT_LIMITS

    try:
        storage = storage_of(Settings())
        storage.open()
    except ValidationError as error:
        fail("; ".join(f"HUPAI_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()))
    except StorageError as error:
        fail(str(error))
    try:
        yield CaseService(storage, DEFAULT_LIMITS)
    except ApiProblem as problem:
        cause = problem.__cause__
        fail(f"{problem.detail} {cause}" if cause else problem.detail)
    except StorageError as error:
        fail(str(error))
    finally:
        storage.close()


def who(name: str) -> Author:
    """Who works at this machine: whoever may read the data folder acts as referee."""
    from hupai.api.dossier.chain.events import Author

    return Author(name="local", role="referee", stated=name or _login())


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def found(service: CaseService, case: str) -> Log:
    """The case with this id, or the one whose id begins so."""
    if len(case) < 36:
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


def told(log: Log, as_json: bool) -> None:
    """Say what the case is after an act."""
    case = log.case
    if as_json:
        typer.echo(
            json_line(
                {
                    "case": case.id,
                    "state": case.state.value,
                    "events": case.events,
                    "head": case.head,
                }
            )
        )
    else:
        typer.echo(case.id)


@app.command("open")
@circumstance_flags
def open_case(
    photos: Annotated[
        list[Path],
        typer.Argument(metavar="PHOTO...", help="Photos of one hand.", show_default=False),
    ],
    rules: Annotated[
        str,
        typer.Option(
            "--rules", "-r", metavar="ID", help="Rule set, or a .toml file of house rules."
        ),
    ],
    circumstances: CircumstancesModel,
    title: Annotated[str, typer.Option(help="What to call it: table, hand.")] = "",
    name: AsOption = "",
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="Which model reads.")
    ] = "default",
    as_json: JsonOption = False,
) -> None:
    """Open a case from photos: keeps their bytes, what was seen and read, and the score. Prints the
    case's id.
    """
    chosen = parse_rules(rules)
    house = Path(rules).read_text(encoding="utf-8") if rules.endswith(".toml") else None
    read: list[tuple[str, bytes, PhotoReading]] = []
    from hupai.api.cli.commands.photos import open_model
    from hupai.vision.photo.decode import PhotoError
    from hupai.vision.pipeline.recogniser import Recogniser

    recogniser = Recogniser(open_model(model))
    for path in photos:
        try:
            data = path.read_bytes()
            read.append((path.name, data, recogniser.read_photo(data, path.name, chosen)))
        except PhotoError as error:
            fail(str(error))
        except OSError as error:
            fail(f"{path}: {error.strerror or error}")
    with cases() as service:
        log = service.open(who(name), title, chosen, circumstances, read, house)
    told(log, as_json)
    standing = log.case.standing
    if standing is None:
        note("no legal hand was read: propose one with hupai dossier correct")
    elif standing.score is None:
        note("which tile won is not known: hupai dossier correct --win TILE")
    certain = all(
        photo.read is not None and photo.read.reading.certain for photo in log.case.photos
    )
    finish(standing is None or standing.score is None or not certain)


@app.command("list")
def list_cases(as_json: JsonOption = False) -> None:
    """The newest 200 cases."""
    from rich.table import Table

    with cases() as service:
        summaries = service.list(200, None, None, None)
    table = Table("case", "title", "rules", "state", "to decide", "entries", "last")
    for one in summaries:
        if as_json:
            typer.echo(
                json_line(
                    {
                        "case": one.id,
                        "title": one.title,
                        "rules": one.rules,
                        "state": one.state,
                        "events": one.events,
                    }
                )
            )
            continue
        last = one.updated_at.isoformat(" ", "minutes")
        table.add_row(
            one.id, one.title, one.rules, one.state, str(one.open_proposals), str(one.events), last
        )
    if not as_json:
        out().print(table)


@app.command("show")
def show(case: CaseArgument) -> None:
    """The log of a case, an entry a line, and what holds now."""
    with cases() as service:
        log = found(service, case)
    for signed in log.events:
        event = signed.event
        typer.echo(
            f"{event.seq:4} {event.time} {event.author.shown:24} {event.body.kind:22} {signed.hash[:16]}"
        )
    standing = log.case.standing
    score = (
        "no score"
        if standing is None or standing.score is None
        else f"{standing.score.total} {standing.score.unit}"
    )
    typer.echo(f"{log.case.state.value}; {standing.notation if standing else 'no hand'}: {score}")


@app.command("export")
def export(case: CaseArgument, output: OutOption = None) -> None:
    """Write a case as one zip file: log, photos, key, all signed."""
    with cases() as service:
        log = found(service, case)
        data = service.export(log.case.id)
    _write(data, output or Path(f"case-{log.case.id}.zip"))


@app.command("report")
def report(
    case: Annotated[
        str,
        typer.Argument(
            metavar="CASE|FILE", help="Id of a case, or an exported bundle.", show_default=False
        ),
    ],
    output: OutOption = None,
    language: Annotated[
        Literal["both", "en", "zh"], typer.Option("--language", "-l", help="Of the report.")
    ] = "both",
    link: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Address of the service, for the QR code.",
            show_default="HUPAI_PUBLIC_URL",
        ),
    ] = "",
) -> None:
    """Print a case as PDF: to be signed at the table. A bundle that does not hold is not
    printed.
    """
    if Path(case).is_file():
        data, name = _report_of_bundle(Path(case), language, link), Path(case).stem
    else:
        with cases() as service:
            log = found(service, case)
            data, name = (
                service.report(log.case, _link(link, log.case.id), language),
                f"case-{log.case.id}",
            )
    _write(data, output or Path(f"{name}.pdf"))


@app.command("verify")
def verify(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="An exported bundle."),
    ],
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="FINGERPRINT",
            help="Who must have signed: at least 32 digits, as the report prints them; may be repeated.",
        ),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="HASH",
            help="Hash of the last entry that a report prints, or its first 16 digits.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check an exported case without a network: hashes, signatures, order, photos, scores. Names
    the first thing that is wrong.
    """
    from hupai.api.dossier.bundle.verify import STEPS
    from hupai.api.dossier.bundle.verify import verify as check

    for given, least in (
        *((one, 32) for one in key or ()),
        *(((head, 16),) if head is not None else ()),
    ):
        if not least <= len(given) <= 64 or set(given.lower()) - set("0123456789abcdef"):
            fail(f"{given!r} is no hash: give {least} to 64 hexadecimal digits", ExitCode.BAD_USAGE)
    result = check(file.read_bytes(), key or (), head)
    fault = result.fault
    if as_json:
        said = (
            None
            if fault is None
            else {
                "code": fault.code,
                "where": fault.where,
                "message": fault.message,
                "message_zh": fault.message_zh,
            }
        )
        case = result.case
        typer.echo(
            json_line(
                {
                    "holds": result.holds,
                    "passed": list(result.passed),
                    "fault": said,
                    "fingerprint": result.fingerprint,
                    "case": case.id if case else None,
                    "head": case.head if case else None,
                    "scores": result.scores,
                }
            )
        )
    else:
        for step, words, words_zh in STEPS:
            if step in result.passed:
                typer.echo(f"ok      {words} · {words_zh}")
        if fault is not None:
            typer.echo(f"FAILED  {fault.message} {fault.message_zh}")
        else:
            typer.echo(
                f"holds: case {result.case.id if result.case else ''}, {result.scores} scores recomputed"
            )
    if result.fingerprint and not key:
        note(
            f"signed by {result.fingerprint}: compare it with the installation's (hupai dossier key), or give it with --key"
        )
    if result.passed and not result.same_program:
        note("the rules' code here is another version than the one that scored")
    finish(not result.holds)


@app.command("key")
def key(as_json: JsonOption = False) -> None:
    """The fingerprint of this installation's signing key; made on first use, in the data folder."""
    with cases() as service:
        public = service.store.key.public
    if as_json:
        typer.echo(json_line({"fingerprint": public.fingerprint, "pem": public.pem.decode()}))
    else:
        typer.echo(public.fingerprint)


def _report_of_bundle(path: Path, language: Literal["both", "en", "zh"], link: str) -> bytes:
    from hupai.api.dossier.bundle import strict_zip
    from hupai.api.dossier.bundle.verify import verify as check
    from hupai.api.dossier.chain.canonical import digest
    from hupai.api.dossier.report.build import report as print_case

    data = path.read_bytes()
    result = check(data)
    if result.fault is not None or result.case is None:
        fail(f"{path} does not hold: {result.fault.message if result.fault else ''}")
    photos = {
        digest(entry.data): entry.data
        for entry in strict_zip.read(data)
        if entry.name.startswith("photos/")
    }
    return print_case(result.case, photos, _link(link, result.case.id), language)


def _link(link: str, case: str) -> str:
    from hupai.api.web.settings import Settings

    base = link or Settings().public_url
    return f"{base.rstrip('/')}/cases/{case}" if base else ""


def _write(data: bytes, output: Path) -> None:
    if str(output) == "-":
        typer.get_binary_stream("stdout").write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        fail(f"cannot write {output}: {error.strerror or error}")
    typer.echo(str(output))
