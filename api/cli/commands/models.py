"""``hupai models``: which weights there are, and how well they read labelled photos."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from hupai.api.cli.opening import load_settings, opened_storage
from hupai.api.cli.options import JsonOption, ModelOption
from hupai.api.cli.progress import tracked
from hupai.api.cli.reading import open_model, user_library
from hupai.api.cli.terminal import (
    ExitCode,
    Rows,
    bad_usage,
    fail,
    note,
    os_reason,
    out,
    print_json,
    tell,
)
from hupai.api.cli.typer_app import App
from hupai.api.learning.withdrawn import withdrawn
from hupai.datasets.real.labels import LabelError
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
from hupai.models.learning.finetune import finetune as run_finetune
from hupai.models.learning.library import SHIPPED, LibraryError
from hupai.models.learning.parts import FinetuneError
from hupai.models.learning.settings import TRAINABLE, Settings
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
    """List the installed models with version, SHA-256 and purpose.

    The one in use is marked; `hupai models use` selects the shipped weights or your own.
    """
    library = user_library()
    table = Rows("name", "in use", "version", "about", "files", "SHA-256")
    for entry in (*registry.available(), *library.entries()):
        info = entry.info
        name = SHIPPED if entry.name == registry.DEFAULT else entry.name  # as `use` takes it
        used = library.in_use == name
        if as_json:
            print_json(
                {
                    "name": info.name,
                    "version": info.version,
                    "sha256": info.sha256,
                    "about": entry.about,
                    "in_use": used,
                }
            )
        files = ", ".join(file for _, file, _ in entry.files)
        mark = "yes" if used else ""
        table.add(name, mark, entry.version, entry.about, files, info.sha256[:16])
    if not as_json:
        out().print(table)


_DEFAULTS = Settings()


@app.add("finetune", "hupai models finetune --data labels --name club")
def finetune(
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="From `hupai datasets from-hands`.",
            show_default=False,
        ),
    ],
    name: Annotated[str, typer.Option("--name", help="Name of the new weights.")],
    parts: Annotated[
        list[str] | None,
        typer.Option(
            "--part", help="classifier (the default), detector or layout; may be repeated."
        ),
    ] = None,
    mix: Annotated[
        list[Path] | None,
        typer.Option(
            "--mix",
            exists=True,
            file_okay=False,
            help="A labelled folder to mix in; may be repeated.",
        ),
    ] = None,
    checks: Annotated[
        list[Path] | None,
        typer.Option(
            "--check",
            exists=True,
            file_okay=False,
            help="A labelled folder on which results must not get worse; may be repeated.",
        ),
    ] = None,
    deep: Annotated[
        bool,
        typer.Option(
            "--deep",
            help="Train all layers of the classifier, not only the last one; takes minutes.",
        ),
    ] = False,
    epochs: Annotated[
        int, typer.Option(min=1, help="Passes, with --deep or --part detector.")
    ] = _DEFAULTS.epochs,
    per_epoch: Annotated[
        int, typer.Option("--per-epoch", min=64, help="Crops drawn in a pass, with --deep.")
    ] = _DEFAULTS.per_epoch,
    scenes: Annotated[
        int, typer.Option(min=8, help="Rendered scenes to mix in.")
    ] = _DEFAULTS.scenes,
    designs: Annotated[
        int, typer.Option(min=1, help="Rendered hands of held-out designs that the gate measures.")
    ] = _DEFAULTS.designs,
) -> None:
    """Continue training the shipped weights on corrected hands; needs the extra `train`.

    The result is registered only if it is better on your held-out photos and nowhere worse. An
    interrupted run continues where it stopped. The shipped weights are never changed.
    """
    chosen = tuple(dict.fromkeys(parts or ("classifier",)))
    if set(chosen) - set(TRAINABLE):
        names = ", ".join(chosen)
        fail(f"--part {names}: choose classifier, detector or layout", ExitCode.BAD_USAGE)
    settings = Settings(
        chosen, deep, epochs, per_epoch, scenes, designs, tuple(mix or ()), tuple(checks or ())
    )
    service = load_settings()
    work = (service.data_folder or Path()) / "finetune"
    try:
        with bad_usage(LibraryError, LabelError, FinetuneError):
            library = user_library()
            library.check_name(name)
            with opened_storage(service) as storage:
                gone = len(withdrawn(storage, data))
            if gone:
                fail(
                    f"{data} contains photos withdrawn or deleted since it was written ({gone}). "
                    f"Write it again: hupai datasets from-hands --out {data}"
                )
            done = run_finetune(data, name, library, work, settings, note)
    except ImportError as error:
        fail(f"Training needs more: pip install 'hupai[train]' ({error.name} is missing)")
    except OSError as error:
        fail(f"{os_reason(error)}. Nothing was registered; run the same command again to continue.")
    out().print(done.report.read_text("utf-8"), markup=False, highlight=False)
    if done.entry is None:
        fail(f"Refused; the report is {done.report}. The weights in use stay as they are.")
    note(f"Registered as {name}. To use it: hupai models use {name}")


@app.add("use", "hupai models use club")
def use(
    name: Annotated[
        str | None, typer.Argument(help=f"Your own weights, or {SHIPPED}.", show_default=False)
    ] = None,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Go back to the weights used before.")
    ] = False,
) -> None:
    """Choose which weights read photos from now on; broadcasts follow when the service restarts."""
    library = user_library()
    if (name is None) is not rollback:
        fail("Name the weights, or give --rollback.", ExitCode.BAD_USAGE)
    try:
        with bad_usage(LibraryError, registry.DamagedWeightsError):
            if name is None:
                library.roll_back()
            else:
                library.use(name)
    except OSError as error:
        fail(os_reason(error))
    tell(f"In use: {library.in_use}")
    if name is not None:
        note("To return to the weights used before: hupai models use --rollback")
