"""``hupai datasets``: rendered scenes, faces, and stored hands to train and test with."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import cv2
import typer

from hupai.api.cli.opening import load_settings, opened_storage
from hupai.api.cli.options import JsonOption
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
    tell,
)
from hupai.api.cli.typer_app import App
from hupai.api.learning import consent as consents
from hupai.api.learning.collect import collect
from hupai.api.learning.suggest import suggest as ranked
from hupai.datasets.faces.svg import face_svg
from hupai.datasets.from_hands.tables import TRAIN
from hupai.datasets.from_hands.write import ForeignFolderError, write_set
from hupai.datasets.real.sheets import SheetError, cut_faces, write_faces
from hupai.datasets.synthetic.contact_sheet import contact_sheet as draw
from hupai.datasets.synthetic.generate import DRAWN_SHARE, Material, SceneKind, generate
from hupai.datasets.synthetic.truth import TruthError
from hupai.scoring.tiles import Tile
from hupai.vision.photo.decode import PhotoError, decode
from hupai.vision.types import Detections

app = App("Scenes, faces and stored hands to train and test with.")


@app.add("render", "hupai datasets render scenes --count 20 --seed 7")
def render(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Where images/ and truth.jsonl go.", show_default=False),
    ],
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many scenes.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same scenes.")] = 1,
    start: Annotated[
        int, typer.Option(min=0, help="Number of the first scene, to go on with a folder.")
    ] = 0,
    size: Annotated[
        int, typer.Option(min=160, max=4096, help="Longer side of a picture in pixels.")
    ] = 960,
    faces: Annotated[
        list[Path] | None,
        typer.Option(
            "--faces",
            exists=True,
            file_okay=False,
            help="A folder of face pictures, one tile set; may be repeated.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
    hands: Annotated[
        bool, typer.Option("--hands", help="Revealed hands only, no loose tiles or trays.")
    ] = False,
) -> None:
    """Render photos of tables with exact labels: outline, face and group of every tile, and
    whether it is in the hand.
    """
    kind = SceneKind.HANDS if hands else SceneKind.ANY
    material = Material(tuple(faces or ()), DRAWN_SHARE)
    rate = generate(folder, count, seed, kind, size, material, workers=workers, start=start)
    note(f"{count} scenes in {folder}, {rate:.1f} a second")


@app.add("contact-sheet", "hupai datasets contact-sheet scenes sheet.png --count 24")
def contact_sheet(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", file_okay=False, help="From `hupai datasets render`."),
    ],
    picture: Annotated[
        Path, typer.Argument(metavar="FILE", help="PNG or JPEG to write.", show_default=False)
    ],
    count: Annotated[
        int, typer.Option("--count", "-n", min=1, max=400, help="How many scenes.")
    ] = 24,
    start: Annotated[int, typer.Option(min=0, help="Number of the first scene.")] = 0,
    columns: Annotated[int, typer.Option(min=1, help="Scenes in a row.")] = 6,
    plain: Annotated[bool, typer.Option("--plain", help="Without the labelled outlines.")] = False,
) -> None:
    """Draw rendered scenes with their labels on one picture, to see what a model would learn."""
    with bad_usage(TruthError):
        sheet = draw(folder, count, columns, outlines=not plain, start=start)
        if picture.suffix.lower() not in (".png", ".jpg", ".jpeg") or not cv2.imwrite(
            str(picture), sheet
        ):
            fail(
                f"{picture} was not written: name a .png or .jpg file in a folder that exists",
                ExitCode.BAD_USAGE,
            )
    legend = (
        ": hand orange, winning tile green, backs pink, others grey; "
        "a letter names the player that a set was claimed from"
    )
    note(str(picture) if plain else f"{picture}{legend}")


@app.add("sheets", "hupai datasets sheets photos faces")
def sheets(
    photos: Annotated[
        Path,
        typer.Argument(
            metavar="PHOTOS", file_okay=False, help="Folder the sheets' paths start from."
        ),
    ],
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Faces go here as <set>/<code>_<n>.png.", show_default=False
        ),
    ],
) -> None:
    """Cut the faces of whole tile sets out of photos in which they lie as a grid."""
    with bad_usage(SheetError):
        written = write_faces(cut_faces(photos), folder)
    note(f"{written} faces in {folder}")


@app.add("faces", "hupai datasets faces drawn")
def faces(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="The 43 faces go here as SVG, named by their code.",
            show_default=False,
        ),
    ],
) -> None:
    """Write the project's own drawings of the 42 faces and the back."""
    folder.mkdir(parents=True, exist_ok=True)
    for tile in Tile:
        name = "back" if tile is Tile.BACK else tile.code
        (folder / f"{name}.svg").write_text(face_svg(tile), "utf-8")
    tell(f"{len(Tile)} faces in {folder}")


@app.add("from-hands", "hupai datasets from-hands --out labels")
def from_hands(
    folder: Annotated[
        Path,
        typer.Option(
            "--out", metavar="DIR", help="New, or written by this command.", show_default=False
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Write the stored hands and cases that people corrected or confirmed as a labelled set.

    Only those with consent, of the deployment and of each hand: see `hupai datasets consent`.
    The same hands give the same bytes.
    """
    with opened_storage(load_settings(), lasting=True) as storage:
        collected = collect(storage)
        try:
            with bad_usage(ForeignFolderError):
                written = write_set(folder, collected.labels, collected.left_out)
        except OSError as error:
            fail(os_reason(error))
    if as_json:
        print_json(
            {
                "photos": written.photos,
                "tables": written.tables,
                "parts": written.parts,
                "left_out": len(collected.left_out),
                "suspicious": len(written.suspicious),
                "sha256": written.digest,
            }
        )
        return
    parts = ", ".join(f"{count} {part}" for part, count in sorted(written.parts.items()))
    tell(f"{written.photos} photos of {written.tables} tables in {folder}: {parts or 'none'}.")
    reasons = Counter(one.reason for one in collected.left_out)
    for reason, count in sorted(reasons.items()):
        note(f"{count} left out: {reason}")
    if written.suspicious:
        note(f"{len(written.suspicious)} labels to look at, see {folder / 'suspicious.jsonl'}")
    if TRAIN not in written.parts:
        note(
            "Nothing to train on yet: correct or confirm hands on the page, and give consent "
            "there or with hupai datasets consent."
        )
    elif len(written.parts) == 1:
        note(
            "No photo is held out, so nothing can show that training helps: correct or confirm "
            "hands of further scenes."
        )
    else:
        note(f"To train on them: hupai models finetune --data {folder} --name NAME")


@app.add("consent", "hupai datasets consent --give")
def consent(
    given: Annotated[
        bool | None,
        typer.Option("--give/--withdraw", help="Without either, only shows the current consent."),
    ] = None,
    hands: Annotated[
        list[str] | None,
        typer.Option("--hand", metavar="ID", help="A stored hand; may be repeated."),
    ] = None,
    cases: Annotated[
        list[str] | None, typer.Option("--case", metavar="ID", help="A case; may be repeated.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Give or withdraw consent to train on photos and corrections.

    Without --hand or --case it applies to the whole deployment. A hand is exported only while both
    the deployment and the hand have consent. Nothing leaves this computer.
    """
    subjects = [*map(consents.hand_subject, hands or ()), *map(consents.case_subject, cases or ())]
    with opened_storage(load_settings(), lasting=True) as storage:
        if given is not None:
            with storage.database.session() as session:
                for subject in subjects or [consents.DEPLOYMENT]:
                    consents.say(session, subject, "command line", given=given)
        with storage.database.session(write=False) as session:
            now = consents.consents(session)
    if as_json:
        print_json({"deployment": now.deployment, "given": sorted(now.given)})
        return
    tell(
        f"Deployment: {'given' if now.deployment else 'not given'}. "
        f"Hands and cases: {len(now.given - {consents.DEPLOYMENT})} given, "
        f"{len(now.refused - {consents.DEPLOYMENT})} refused."
    )
    if not now.deployment:
        note("To let this deployment learn from its hands: hupai datasets consent --give")
    elif now.given == {consents.DEPLOYMENT}:
        note("Each hand needs consent too: on the page, or hupai datasets consent --give --hand ID")


@app.add("suggest", "hupai datasets suggest --count 10")
def suggest(
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=500, help="How many.")] = 10,
    read_again: Annotated[
        bool,
        typer.Option(
            "--read-again",
            help="Read the photos again, to see where detector and classifier disagree.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the stored hands most worth checking: doubtful ones, unlike all others."""
    detector = open_model("default") if read_again else None

    def reread(data: bytes) -> Detections | None:
        try:
            return None if detector is None else detector.detect(decode(data).image)
        except PhotoError:
            return None

    table = Rows("hand", "as read", "bits open", "disagreement", "novelty", "value")
    with opened_storage(load_settings(), lasting=True) as storage:
        found = ranked(storage, count, reread if read_again else None)
    for one in found:
        if as_json:
            print_json(asdict(one))
        apart = "" if one.disagreement is None else one.disagreement
        table.add(one.hand, one.notation or "", one.information, apart, one.novelty, one.value)
    if as_json:
        return
    if not found:
        tell("No stored hand waits to be checked.")
        return
    out().print(table)
    note("Check them on the page /learning of the service, or correct them by their id.")
