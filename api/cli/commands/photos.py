"""``hupai read`` and ``hupai photo``: what is on a photo, and what it scores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hupai.api.cli.circumstance_flags import circumstance_flags
from hupai.api.cli.commands.scoring import answer_has_problems, show_answer, with_win
from hupai.api.cli.common import (
    ExitCode,
    ExplainOption,
    JsonOption,
    RulesOption,
    WinOption,
    fail,
    finish,
    note,
    out,
    parse_known_rules,
    parse_rules,
    serious,
)
from hupai.api.cli.tables import comparison_view, reading_view
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.serialise import column_json, json_line, reading_json
from hupai.scoring.compare import compare
from hupai.scoring.result import RuleSet
from hupai.vision.types import PhotoReading

if TYPE_CHECKING:
    from hupai.vision.protocols import TileDetector

_FORMATS = "JPEG, PNG, WebP or HEIC."
AnnotateOption = Annotated[
    Path | None,
    typer.Option(
        "--annotate",
        metavar="DIR",
        file_okay=False,
        help="Write each photo with boxes, names and groups into this folder.",
    ),
]
ModelOption = Annotated[
    str,
    typer.Option(
        "--model", metavar="NAME", help="Which model reads; hupai models list names them."
    ),
]
TileSetOption = Annotated[
    str,
    typer.Option(
        "--tile-set",
        metavar="NAME",
        help="Tile set on the photo (hupai tile-sets list); auto: any that is recognised; none.",
    ),
]


MergeOption = Annotated[
    bool,
    typer.Option(
        "--merge", help="The photos show one hand (glare on one, cut on another): read them as one."
    ),
]


def read(
    photos: Annotated[
        list[Path], typer.Argument(metavar="PHOTO...", help=_FORMATS, show_default=False)
    ],
    rules: Annotated[
        RuleSet | None,
        typer.Option(
            "--rules", "-r", parser=parse_rules, metavar="ID", help="Rule set in play, if known."
        ),
    ] = None,
    merge: MergeOption = False,
    as_json: JsonOption = False,
    annotate: AnnotateOption = None,
    model: ModelOption = "default",
    tile_set: TileSetOption = "auto",
) -> None:
    """Tell what is on photos: tiles, sets, the likeliest hands, problems."""
    problems = False
    found = (
        iter([merged_reading(photos, model, annotate, rules, tile_set)])
        if merge
        else readings(photos, model, annotate, rules, tile_set=tile_set)
    )
    for reading in found:
        if as_json:
            typer.echo(json_line(reading_json(reading)))
        else:
            out().print(reading_view(reading))
        problems |= not reading.reading.hands or serious(reading.reading.problems)
    finish(problems)


@circumstance_flags
def photo(
    photos: Annotated[
        list[Path], typer.Argument(metavar="PHOTO...", help=_FORMATS, show_default=False)
    ],
    rules: RulesOption,
    circumstances: CircumstancesModel,
    win: WinOption = None,
    explain: ExplainOption = False,
    also: Annotated[
        list[RuleSet] | None,
        typer.Option(
            "--also",
            parser=parse_known_rules,
            metavar="ID",
            help="Set the same hand beside it under this rule set; may be repeated.",
        ),
    ] = None,
    point: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--point",
            metavar="X Y",
            help="A place on the hand that is meant, in pixels, where several are on the photo.",
        ),
    ] = None,
    merge: MergeOption = False,
    as_json: JsonOption = False,
    annotate: AnnotateOption = None,
    model: ModelOption = "default",
    tile_set: TileSetOption = "auto",
) -> None:
    """Read a photo, or with --merge several of one hand, and score the hand on it.

    Where the photo does not set the winning tile apart, the answer is what each tile would score as
    the winning one.
    """
    from hupai.api.answers.hand_belief import HandBelief
    from hupai.api.answers.score_answer import score_answer

    if len(photos) > 1 and not merge:
        fail(
            "Several photos: say --merge if they show one hand, else score them one by one.",
            ExitCode.BAD_USAGE,
        )
    if len(photos) > 1 and point is not None:
        fail("--point names a place on one photo: give one photo.", ExitCode.BAD_USAGE)
    if len(photos) > 1:
        reading = merged_reading(photos, model, annotate, rules, tile_set)
    else:
        (reading,) = readings(photos, model, annotate, rules, point, tile_set)
    read = reading.reading
    hand = with_win(read.hands[0].hand, win) if read.hands else None
    answer = None
    if read.hands:
        belief = HandBelief.of_reading(read, circumstances)
        answer = score_answer(rules, belief if win is None else belief.won_by(win))
    beside = (
        compare(hand, circumstances.to_circumstances(), [one.id for one in also])
        if hand is not None and also
        else None
    )
    if as_json:
        result = None if answer is None else answer.model_dump(mode="json")
        line: dict[str, object] = {"reading": reading_json(reading), "result": result}
        if hand is not None and beside is not None:
            line["also"] = [column_json(hand, column) for column in beside.columns]
        typer.echo(json_line(line))
    else:
        out().print(reading_view(reading))
        if hand is not None and answer is not None:
            show_answer(rules, hand, circumstances, answer, explain)
        if beside is not None:
            out().print(comparison_view(beside))
    finish(answer is None or answer_has_problems(answer) or serious(read.problems))


def readings(
    photos: list[Path],
    model: str,
    annotate: Path | None,
    rules: RuleSet | None = None,
    point: tuple[float, float] | None = None,
    tile_set: str = "auto",
) -> Iterator[PhotoReading]:
    """Read photos one by one with one model and, where chosen, a tile set, and write the annotated
    ones where wanted.
    """
    from hupai.api.cli.photo_files import annotated_names, read_files
    from hupai.vision.pipeline.recogniser import Recogniser

    detector = _with_tile_set(open_model(model), tile_set)
    recogniser = Recogniser(detector)
    files = read_files(
        lambda data, name: recogniser.read_photo(data, name, rules, point), detector.info, photos
    )
    for reading, name in zip(files, annotated_names(photos), strict=True):
        _annotate(reading, annotate, name)
        yield reading


def merged_reading(
    photos: list[Path],
    model: str,
    annotate: Path | None,
    rules: RuleSet | None = None,
    tile_set: str = "auto",
) -> PhotoReading:
    """Read photos of one hand as one, and write each annotated where wanted."""
    from hupai.api.cli.photo_files import annotated_names, read_together
    from hupai.vision.pipeline.recogniser import Recogniser

    detector = _with_tile_set(open_model(model), tile_set)
    recogniser = Recogniser(detector)
    reading = read_together(lambda read: recogniser.read_photos(read, rules), detector.info, photos)
    shown = [Path(info.path) for info in reading.photos or (reading.photo,)]
    for number, name in enumerate(annotated_names(shown)):
        _annotate(reading, annotate, name, number)
    return reading


def _annotate(reading: PhotoReading, folder: Path | None, name: str, photo: int = 0) -> None:
    from hupai.api.cli.photo_files import write_annotated

    if folder is not None and reading.photo.width:
        try:
            write_annotated(reading, folder / name, photo)
        except OSError as error:
            fail(f"cannot write {folder / name}: {error.strerror or error}")
        note(f"wrote {folder / name}")


def _with_tile_set(detector: TileDetector, choice: str) -> TileDetector:
    """The detector with the tile set of this name, or with those it may recognise; stops with a
    message where there is none.
    """
    from pydantic import ValidationError

    from hupai.api.cli.commands.tile_sets import open_store
    from hupai.api.tile_sets.store import configured_store
    from hupai.vision.enrolment.enrol import TileSetError
    from hupai.vision.enrolment.store import UnknownTileSetError, with_choice

    if choice == "none":
        return detector
    try:
        store = configured_store() if choice == "auto" else open_store()
        return detector if store is None else with_choice(detector, choice, store)
    except ValidationError:
        return detector  # settings of the service that are wrong keep nobody from reading a photo
    except UnknownTileSetError as error:
        fail(str(error), ExitCode.BAD_USAGE)
    except (TileSetError, OSError) as error:
        fail(str(error))


def open_model(name: str) -> TileDetector:
    """The model of this name; stops with a message where it does not open."""
    from hupai.models import registry

    try:
        return registry.load(name)
    except registry.UnknownWeightsError as error:
        fail(str(error), ExitCode.BAD_USAGE)
    except (registry.WeightsError, OSError) as error:
        fail(f"The model {name!r} does not open: {error}")
