"""``hupai dossier``: cases of disputed hands; open, list, export, print, verify.

What people do in a case that is open: `hupai.api.cli.dossier.acts`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hupai.api.cli.circumstance_flags import GivenCircumstances, circumstance_flags
from hupai.api.cli.dossier import acts, files, keys, tournament
from hupai.api.cli.dossier.cases import (
    AsOption,
    CaseArgument,
    PassphraseOption,
    SignOption,
    ZoneOption,
    find,
    opened_cases,
    show_log,
    sign_as,
    who,
)
from hupai.api.cli.dossier.log_lines import log_lines
from hupai.api.cli.options import JsonOption, ModelOption, PhotosArgument, complete_rules
from hupai.api.cli.reading import open_model
from hupai.api.cli.terminal import bad_usage, finish, note, print_json
from hupai.api.cli.typer_app import App
from hupai.api.dossier.case_json import case_out
from hupai.api.dossier.chain.events import PlayedAt
from hupai.api.dossier.report.zones import local_zone
from hupai.api.facade.arguments import rules_of
from hupai.api.facade.errors import ArgumentError
from hupai.api.facade.tile_set import with_tile_set
from hupai.scoring.house_rules import HouseRuleError
from hupai.scoring.rule_sets import UnknownRuleSetError
from hupai.vision.photo.decode import DEFAULT_LIMITS
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import PhotoReading

app = App("Cases of disputed hands, kept as signed logs. 裁判案卷。")


@app.add(
    "open",
    "hupai dossier open hand.jpg --rules mcr-1998 --seat E --round E --title 'Table 3, hand 7'",
    exits="0 opened and certain, 1 opened but not certain, or a photo cannot be read, 2 bad usage",
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
    title: Annotated[str, typer.Option(help="Title, e.g. table and number of the hand.")] = "",
    tournament: Annotated[str, typer.Option(help="Tournament, for the head of the report.")] = "",
    session: Annotated[str, typer.Option(help="Session of the tournament.")] = "",
    table: Annotated[str, typer.Option(help="Table.")] = "",
    zone: ZoneOption = "",
    name: AsOption = "",
    sign_with: SignOption = None,
    passphrase_file: PassphraseOption = None,
    model: ModelOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Open a case from photos and print its id.

    The case keeps the photos, what was detected and read, and the score.
    """
    with bad_usage(UnknownRuleSetError, HouseRuleError, ArgumentError):
        chosen = rules_of(rules)
    house = Path(rules).read_text(encoding="utf-8") if rules.endswith(".toml") else None
    recogniser = Recogniser(with_tile_set(open_model(model), "auto"))  # as the service reads
    read: list[tuple[str, bytes, PhotoReading]] = []
    for path in photos:
        data = files.read_file(path, DEFAULT_LIMITS.bytes)
        read.append((path.name, data, recogniser.read_photo(data, path.name, chosen)))
    with opened_cases() as service:
        sign_as(service, sign_with, passphrase_file)
        place = PlayedAt(tournament=tournament, session=session, table=table)
        won_how = circumstances.to_model()
        log = service.open(
            who(name, service.signer),
            title,
            chosen,
            won_how,
            read,
            house,
            place,
            zone or local_zone(),
        )
    show_log(log, as_json)
    standing = log.case.standing
    if standing is None:
        note("no legal hand was read: propose one with hupai dossier correct")
    elif standing.score is None:
        note("which tile won is not known: hupai dossier correct --win TILE")
    unsure = [
        photo.record.name
        for photo in log.case.photos
        if photo.read is None or not photo.read.reading.certain
    ]
    for photo_name in unsure:
        note(f"{photo_name} was not read with certainty: compare its tiles with the hand")
    finish(standing is None or standing.score is None or bool(unsure))


@app.add("show", "hupai dossier show 0192f3a0", "hupai dossier show 0192f3a0 --json")
def show(case: CaseArgument, as_json: JsonOption = False) -> None:
    """Show a case: every entry with number, author and reason, and the current result."""
    with opened_cases() as service:
        log = find(service, case)
        if as_json:
            print_json(case_out(log, who(""), service.store.key.public).model_dump(mode="json"))
            return
    for line in log_lines(log):
        typer.echo(line)


@app.add("export", "hupai dossier export 0192f3a0 --output case.zip")
def export(case: CaseArgument, output: files.OutOption = None) -> None:
    """Write a case as one zip file: log, photos, key, all signed."""
    with opened_cases() as service:
        log = find(service, case)
        data = service.export(log.case.id)
    files.write_file(data, output or Path(f"case-{log.case.id}.zip"))


tournament.add_to(app)
files.add_to(app)
keys.add_to(app)
acts.add_to(app)
