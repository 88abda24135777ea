"""``hupai dossier``: cases of disputed hands; open, list, export, print, verify.

What people do in a case that is open: `hupai.api.cli.dossier_acts`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from hupai.api.cli import dossier_acts
from hupai.api.cli.circumstance_flags import GivenCircumstances, circumstance_flags
from hupai.api.cli.dossier_cases import (
    AsOption,
    CaseArgument,
    ZoneOption,
    find,
    opened_cases,
    refused,
    show_log,
    who,
)
from hupai.api.cli.opening import load_settings
from hupai.api.cli.options import JsonOption, ModelOption, PhotosArgument, complete_rules
from hupai.api.cli.reading import open_model
from hupai.api.cli.terminal import (
    ExitCode,
    Rows,
    bad_usage,
    fail,
    finish,
    note,
    os_reason,
    out,
    print_json,
)
from hupai.api.cli.typer_app import App
from hupai.api.dossier.bundle import strict_zip
from hupai.api.dossier.bundle.verify import STEPS, Verification
from hupai.api.dossier.bundle.verify import verify as verify_bundle
from hupai.api.dossier.chain.canonical import digest
from hupai.api.dossier.chain.events import PlayedAt
from hupai.api.dossier.report.build import report as print_case
from hupai.api.dossier.report.zones import local_zone
from hupai.api.dossier.service import known_zone
from hupai.api.facade.arguments import rules_of
from hupai.api.facade.errors import ArgumentError
from hupai.scoring.house_rules import HouseRuleError
from hupai.scoring.rule_sets import UnknownRuleSetError
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import PhotoReading

Language = Literal["both", "en", "zh"]

app = App("Cases of disputed hands, kept as signed logs. 裁判案卷。")

BundleArgument = Annotated[
    Path, typer.Argument(metavar="FILE", readable=False, help="An exported bundle.")
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Where to write it; - for standard output."
    ),
]


@app.add(
    "open",
    "hupai dossier open hand.jpg --rules mcr-1998 --seat E --round E --title 'Table 3, hand 7'",
    exits="0 opened and certain, 1 opened, but something is open, or a photo cannot be read, "
    "2 bad usage",
)
@circumstance_flags
def open_case(
    photos: PhotosArgument,
    rules: Annotated[
        str,
        typer.Option(
            "--rules",
            "-r",
            metavar="ID",
            help="Rule set, or a .toml file of house rules.",
            autocompletion=complete_rules,
        ),
    ],
    circumstances: GivenCircumstances,
    title: Annotated[str, typer.Option(help="What to call it: table, hand.")] = "",
    tournament: Annotated[str, typer.Option(help="For the head of the report.")] = "",
    session: Annotated[str, typer.Option(help="Session of the tournament.")] = "",
    table: Annotated[str, typer.Option(help="Table.")] = "",
    zone: ZoneOption = "",
    name: AsOption = "",
    model: ModelOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Open a case from photos and print its id.

    It keeps their bytes, what was seen and read, and the score.
    """
    with bad_usage(UnknownRuleSetError, HouseRuleError, ArgumentError):
        chosen = rules_of(rules)
    house = Path(rules).read_text(encoding="utf-8") if rules.endswith(".toml") else None
    recogniser = Recogniser(open_model(model))
    read: list[tuple[str, bytes, PhotoReading]] = []
    for path in photos:
        data = _read(path)
        read.append((path.name, data, recogniser.read_photo(data, path.name, chosen)))
    with opened_cases() as service:
        place = PlayedAt(tournament=tournament, session=session, table=table)
        won_how = circumstances.to_model()
        log = service.open(
            who(name), title, chosen, won_how, read, house, place, zone or local_zone()
        )
    show_log(log, as_json)
    standing = log.case.standing
    if standing is None:
        note("no legal hand was read: propose one with hupai dossier correct")
    elif standing.score is None:
        note("which tile won is not known: hupai dossier correct --win TILE")
    certain = all(
        photo.read is not None and photo.read.reading.certain for photo in log.case.photos
    )
    finish(standing is None or standing.score is None or not certain)


@app.add("list", "hupai dossier list")
def list_cases(as_json: JsonOption = False) -> None:
    """List the newest 200 cases."""
    with opened_cases() as service:
        summaries = service.list(200, None, None, None)
    table = Rows("case", "title", "rules", "state", "to decide", "entries", "last")
    for one in summaries:
        if as_json:
            print_json(
                {
                    "case": one.id,
                    "title": one.title,
                    "rules": one.rules,
                    "state": one.state,
                    "events": one.events,
                }
            )
        last = one.updated_at.isoformat(" ", "minutes")
        table.add(one.id, one.title, one.rules, one.state, one.open_proposals, one.events, last)
    if not as_json:
        out().print(table)


@app.add("show", "hupai dossier show 0192f3a0")
def show(case: CaseArgument) -> None:
    """Show the log of a case, an entry a line, and what holds now."""
    with opened_cases() as service:
        log = find(service, case)
    for signed in log.events:
        event = signed.event
        author, kind = event.author.shown, event.body.kind
        typer.echo(f"{event.seq:4} {event.time} {author:24} {kind:22} {signed.hash[:16]}")
    standing = log.case.standing
    score = standing.score if standing else None
    result = "no score" if score is None else f"{score.total} {score.unit}"
    hand = standing.notation if standing else "no hand"
    typer.echo(f"{log.case.state.value}; {hand}: {result}")


@app.add("export", "hupai dossier export 0192f3a0 --output case.zip")
def export(case: CaseArgument, output: OutOption = None) -> None:
    """Write a case as one zip file: log, photos, key, all signed."""
    with opened_cases() as service:
        log = find(service, case)
        data = service.export(log.case.id)
    _write(data, output or Path(f"case-{log.case.id}.zip"))


@app.add("report", "hupai dossier report 0192f3a0", "hupai dossier report case.zip --language en")
def report(
    case: Annotated[
        str,
        typer.Argument(
            metavar="CASE|FILE", help="Id of a case, or an exported bundle.", show_default=False
        ),
    ],
    output: OutOption = None,
    language: Annotated[Language, typer.Option("--language", "-l", help="Of the report.")] = "both",
    link: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Address of the service, for the QR code.",
            show_default="HUPAI_PUBLIC_URL",
        ),
    ] = "",
    zone: ZoneOption = "",
) -> None:
    """Print a case as PDF, to be signed at the table.

    A bundle that does not hold is not printed.
    """
    if Path(case).is_file():
        data, name = _report_of_bundle(Path(case), language, link, zone), Path(case).stem
    else:
        with opened_cases() as service:
            log = find(service, case)
            address = _link(link, log.case.id)
            data, name = service.report(log.case, address, language, zone), f"case-{log.case.id}"
    _write(data, output or Path(f"{name}.pdf"))


@app.add(
    "verify",
    "hupai dossier verify case.zip",
    exits="0 it holds, 1 it does not, or the file cannot be read, 2 bad usage",
)
def verify(
    file: BundleArgument,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="FINGERPRINT",
            help="Who must have signed: at least 32 digits, as the report prints them; may be "
            "repeated.",
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
    """Check an exported case without a network: hashes, signatures, order, photos, scores.

    Names the first thing that is wrong.
    """
    for one in key or ():
        _check_digits(one, 32)
    if head is not None:
        _check_digits(head, 16)
    result = verify_bundle(_read(file), key or (), head)
    _show_verification(result, as_json)
    if result.fingerprint and not key:
        note(
            f"signed by {result.fingerprint}: compare it with the installation's "
            "(hupai dossier key), or give it with --key"
        )
    if result.holds and not result.same_program:
        note(
            "It was scored by another version of the rules' code. That does not matter here: "
            "every score was computed again with this version and is the same."
        )
    finish(not result.holds)


@app.add("key", "hupai dossier key")
def key(as_json: JsonOption = False) -> None:
    """Print the fingerprint of this installation's signing key; made on first use."""
    with opened_cases() as service:
        public = service.store.key.public
    if as_json:
        print_json({"fingerprint": public.fingerprint, "pem": public.pem.decode()})
    else:
        typer.echo(public.fingerprint)


def _check_digits(text: str, least: int) -> None:
    if not least <= len(text) <= 64 or set(text.lower()) - set("0123456789abcdef"):
        fail(f"{text!r} is no hash: give {least} to 64 hexadecimal digits", ExitCode.BAD_USAGE)


def _show_verification(result: Verification, as_json: bool) -> None:
    fault, case = result.fault, result.case
    if as_json:
        wrong = fault and {
            "code": fault.code,
            "where": fault.where,
            "message": fault.message,
            "message_zh": fault.message_zh,
        }
        print_json(
            {
                "holds": result.holds,
                "passed": list(result.passed),
                "fault": wrong,
                "fingerprint": result.fingerprint,
                "case": case.id if case else None,
                "head": case.head if case else None,
                "scores": result.scores,
            }
        )
        return
    for step, words, words_zh in STEPS:
        if step in result.passed:
            typer.echo(f"ok      {words} · {words_zh}")
    if fault is not None:
        typer.echo(f"FAILED  {fault.message} {fault.message_zh}")
    else:
        typer.echo(f"holds: case {case.id if case else ''}, {result.scores} scores recomputed")


def _report_of_bundle(path: Path, language: Language, link: str, zone: str) -> bytes:
    data = _read(path)
    result = verify_bundle(data)
    if result.fault is not None or result.case is None:
        fail(f"{path} does not hold: {result.fault.message if result.fault else ''}")
    photos = {
        digest(entry.data): entry.data
        for entry in strict_zip.read(data)
        if entry.name.startswith("photos/")
    }
    with refused():
        known_zone(zone)
    return print_case(result.case, photos, _link(link, result.case.id), language, zone)


def _link(link: str, case: str) -> str:
    base = link or load_settings().public_url
    return f"{base.rstrip('/')}/cases/{case}" if base else ""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        fail(f"{path}: {os_reason(error)}")


def _write(data: bytes, output: Path) -> None:
    if str(output) == "-":
        typer.get_binary_stream("stdout").write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        fail(f"cannot write {output}: {os_reason(error)}")
    typer.echo(str(output))


dossier_acts.add_to(app)
