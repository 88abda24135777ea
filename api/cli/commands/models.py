"""``hupai models``: which weights there are, and how well they read labelled photos."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from hupai.api.cli.options import JsonOption, ModelOption
from hupai.api.cli.progress import tracked
from hupai.api.cli.reading import open_model
from hupai.api.cli.terminal import (
    ExitCode,
    Rows,
    bad_usage,
    fail,
    note,
    os_reason,
    out,
    print_json,
)
from hupai.api.cli.typer_app import App
from hupai.datasets.synthetic.truth import is_scene_folder
from hupai.models import registry
from hupai.models.evaluation.evaluate import (
    PhotoOutcome,
    compare,
    evaluate_photos,
    figures_of,
    summarise,
)
from hupai.models.evaluation.labelled_folder import from_every_table, read_folder
from hupai.models.evaluation.report import (
    contact_sheet,
    corrections,
    evaluation_json,
    report,
    write_picture,
)
from hupai.models.evaluation.scenes import read_scenes
from hupai.scoring.errors import HupaiError
from hupai.vision.pipeline.recogniser import Recogniser

app = App("The models that read photos.")


@app.add("evaluate", "hupai models evaluate photos --json figures.json")
def evaluate(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="images/ with labels/ (YOLO) and classes.txt, with hands.jsonl, or with both; "
            "or rendered scenes.",
        ),
    ],
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json",
            metavar="FILE",
            dir_okay=False,
            help="Write everything measured, photo by photo.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only N photos, the tables taking turns.")
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(
            "--contact-sheet",
            metavar="FILE",
            dir_okay=False,
            help="Write the failures, annotated, as PNG or JPEG.",
        ),
    ] = None,
    as_labelled: Annotated[
        bool,
        typer.Option(
            "--as-labelled",
            help="Use the labels as published, without the known corrections of the public photos.",
        ),
    ] = False,
    model: ModelOption = "default",
) -> None:
    """Measure a model on labelled photos: whole hands, tiles, faces, certainty, time.

    Precision counts, in photos with a whole hand in hands.jsonl, the tiles read into the hand; in
    others the tiles whose centre lies in the labelled area (hull of the labelled boxes, grown by a
    median tile side), for tiles outside may be unlabelled.
    """
    rendered = is_scene_folder(folder)
    with bad_usage(HupaiError):
        photos = read_scenes(folder) if rendered else read_folder(folder, not as_labelled)
        chosen = photos if limit is None else from_every_table(photos, limit)
        changed = any(photo.corrections for photo in chosen)
        published = read_folder(folder, corrected=False) if changed else ()
    if not photos:
        fail(f"{folder} has no photo with a label or a hand of its name", ExitCode.BAD_USAGE)
    detector = open_model(model)
    read = evaluate_photos(Recogniser(detector), chosen)
    outcomes = list(tracked(read, len(chosen), "Photos"))
    evaluation = summarise(outcomes)
    uncorrected = {photo.path: photo for photo in published}
    by_published = (
        figures_of([compare(uncorrected[o.truth.path], o.reading) for o in outcomes])
        if changed
        else None
    )
    out().print(report(evaluation, by_published))
    if changed:
        note("Labels known to be wrong were corrected (datasets/real/patches):")
        for line in corrections(chosen):
            note(line)
    try:
        if json_file is not None:
            figures = evaluation_json(evaluation, detector.info, by_published)
            json_file.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", "utf-8")
        if sheet is not None:
            _write_sheet(outcomes, sheet)
    except OSError as error:
        fail(os_reason(error))


def _write_sheet(outcomes: Sequence[PhotoOutcome], path: Path) -> None:
    """Write a picture of the photos that were not read right."""
    picture = contact_sheet(outcomes)
    if picture is None:
        note(f"no photo failed: {path} was not written")
    else:
        write_picture(picture, path)


@app.add("list", "hupai models list")
def list_models(as_json: JsonOption = False) -> None:
    """Name the models that are installed, with version, SHA-256 and what they are for."""
    table = Rows("name", "version", "about", "files", "SHA-256")
    for entry in registry.available():
        info = entry.info
        if as_json:
            print_json(
                {
                    "name": info.name,
                    "version": info.version,
                    "sha256": info.sha256,
                    "about": entry.about,
                }
            )
        files = ", ".join(file for _, file, _ in entry.files)
        table.add(entry.name, entry.version, entry.about, files, info.sha256[:16])
    if not as_json:
        out().print(table)
