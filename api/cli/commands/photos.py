"""``hupai read`` and ``hupai photo``: what is on a photo, and what it scores."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from hupai.api.answers.hand_belief import HandBelief
from hupai.api.answers.score_answer import score_answer
from hupai.api.cli.circumstance_flags import GivenCircumstances, circumstance_flags
from hupai.api.cli.commands.scoring import show_score
from hupai.api.cli.opening import open_model
from hupai.api.cli.options import (
    RULES_REQUIRED,
    AnnotateOption,
    ExplainOption,
    JsonOption,
    MergeOption,
    ModelOption,
    PhotosArgument,
    RulesInPlayOption,
    RulesOption,
    TileSetOption,
    WinOption,
    complete_rules,
    parse_known_rules,
    with_win,
)
from hupai.api.cli.photo_files import (
    annotated_names,
    read_files,
    read_together,
    write_annotated,
)
from hupai.api.cli.photo_tables import reading_view, verdict_view
from hupai.api.cli.progress import tracked
from hupai.api.cli.score_tables import comparison_view, problem_lines, winning_tiles_view
from hupai.api.cli.terminal import (
    ExitCode,
    bad_usage,
    err,
    fail,
    finish,
    note,
    os_reason,
    out,
    print_json,
    serious,
)
from hupai.api.cli.typer_app import App
from hupai.api.contract import to_dict
from hupai.api.contract.score import ScoreAnswer
from hupai.api.contract.serialise import column_json
from hupai.api.facade.photos import with_tile_set
from hupai.api.facade.winning_tile import scores_by_winning_tile
from hupai.scoring.compare import Comparison
from hupai.scoring.compare import compare as compare_rules
from hupai.scoring.hand import Hand
from hupai.scoring.result import RuleSet, Severity
from hupai.scoring.tiles import Tile
from hupai.vision.enrolment.store import UnknownTileSetError
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import PhotoReading

app = App()


@dataclass(frozen=True, slots=True)
class HowToRead:
    """What the options say about reading photos."""

    model: str
    tile_set: str
    annotate: Path | None = None
    rules: RuleSet | None = None
    point: tuple[float, float] | None = None


@app.add(
    "read",
    "hupai read hand.jpg",
    "hupai read *.jpg --json > hands.jsonl",
    "hupai read left.jpg right.jpg --merge --annotate drawn",
    exits="0 every photo shows a hand without problems, 1 some photo has problems or cannot be "
    "read, 2 bad usage",
)
def read(
    photos: PhotosArgument,
    rules: RulesInPlayOption = None,
    merge: MergeOption = False,
    as_json: JsonOption = False,
    annotate: AnnotateOption = None,
    model: ModelOption = "default",
    tile_set: TileSetOption = "auto",
) -> None:
    """Say what is on photos: tiles, sets, the likeliest hands, problems."""
    how = HowToRead(model, tile_set, annotate, rules)
    found = iter([read_merged(photos, how)]) if merge else read_each(photos, how)
    if not sys.stdout.isatty():
        found = tracked(found, len(photos), "Photos")
    hands = certain = unreadable = 0
    problems = False
    for reading in found:
        show_reading(reading, as_json)
        hands += bool(reading.reading.hands)
        certain += reading.reading.certain
        unreadable += not reading.photo.width
        problems |= not reading.reading.hands or serious(reading.reading.problems)
    if len(photos) > 1 and not merge:
        failed = f", {unreadable} could not be read" if unreadable else ""
        note(f"{len(photos)} photos: {hands} with a hand, {certain} of them certain{failed}")
    finish(problems)


@app.add(
    "photo",
    "hupai photo hand.jpg --rules mcr-1998 --seat E --round E --self-drawn",
    "hupai photo hand.jpg --rules kc-2.5 --win 4p --also mcr-1998",
    exits="0 a legal win, also where a question is still open, 1 no win, below the minimum, "
    "problems, or the winning tile is open, 2 bad usage",
)
@circumstance_flags
def photo(
    photos: PhotosArgument,
    circumstances: GivenCircumstances,
    rules: RulesOption = RULES_REQUIRED,
    win: WinOption = None,
    explain: ExplainOption = False,
    also: Annotated[
        list[RuleSet] | None,
        typer.Option(
            "--also",
            parser=parse_known_rules,
            metavar="ID",
            autocompletion=complete_rules,
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
    """Read a photo and score the hand on it. 看照片，算番数。

    With --merge several photos of one hand are read as one. Where the photo does not set the
    winning tile apart, the answer is what each tile would score as the winning one.
    """
    how = HowToRead(model, tile_set, annotate, rules, point)
    reading = read_one(photos, how, merge)
    hands = reading.reading.hands
    hand = with_win(hands[0].hand, win) if hands else None
    answer = _answer(reading, rules, circumstances, win)
    beside = (
        compare_rules(hand, circumstances.to_circumstances(), [one.id for one in also])
        if hand is not None and also
        else None
    )
    if as_json:
        _print_as_json(reading, answer, hand, beside)
    else:
        show_reading(reading)
        if hand is not None and answer is not None:
            show_answer(rules, hand, answer, explain)
        if beside is not None:
            out().print(comparison_view(beside))
    finish(answer is None or not _is_clean(answer) or serious(reading.reading.problems))


def _answer(
    reading: PhotoReading, rules: RuleSet, circumstances: GivenCircumstances, win: Tile | None
) -> ScoreAnswer | None:
    """Score the likeliest hand of a reading; None where it has none."""
    if not reading.reading.hands:
        return None
    belief = HandBelief.of_reading(reading.reading, circumstances.to_model())
    return score_answer(rules, belief if win is None else belief.won_by(win))


def _is_clean(answer: ScoreAnswer) -> bool:
    """Return whether an answer is a legal win without problems."""
    score = answer.score
    if score is None or not score.legal:
        return False
    return all(problem.severity is Severity.NOTE for problem in score.problems)


def _print_as_json(
    reading: PhotoReading, answer: ScoreAnswer | None, hand: Hand | None, beside: Comparison | None
) -> None:
    line: dict[str, object] = {
        "reading": to_dict(reading),
        "result": None if answer is None else to_dict(answer),
    }
    if hand is not None and beside is not None:
        line["also"] = [column_json(hand, column) for column in beside.columns]
    print_json(line)


def show_reading(reading: PhotoReading, as_json: bool = False) -> None:
    """Print a reading; what is wrong with a file that is no photo goes to standard error."""
    if as_json:
        print_json(reading)
    elif reading.photo.width:
        out().print(reading_view(reading))
    else:
        err().print(problem_lines(reading.reading.problems), soft_wrap=True)


def show_answer(rules: RuleSet, hand: Hand, answer: ScoreAnswer, explain: bool) -> None:
    """Print the score of a photographed hand, or what each winning tile would score, and the
    verdict.
    """
    circumstances = answer.circumstances.to_circumstances()
    if answer.score is None:
        out().print(winning_tiles_view(scores_by_winning_tile(rules, hand, circumstances)))
    else:
        show_score(rules, hand, circumstances, explain)
    if answer.verdict is not None:
        out().print(verdict_view(answer.verdict, rules, winner_shown=answer.score is None))


def read_each(photos: list[Path], how: HowToRead) -> Iterator[PhotoReading]:
    """Read photos one by one, the model loaded once, and write the annotated ones where wanted."""
    recogniser = _recogniser(how)
    files = read_files(
        lambda data, name: recogniser.read_photo(data, name, how.rules, how.point),
        recogniser.model,
        photos,
    )
    for reading, name in zip(files, annotated_names(photos), strict=True):
        _annotate(reading, how.annotate, name)
        yield reading


def read_merged(photos: list[Path], how: HowToRead) -> PhotoReading:
    """Read photos of one hand as one, and write each annotated where wanted."""
    recogniser = _recogniser(how)
    reading = read_together(
        lambda read: recogniser.read_photos(read, how.rules), recogniser.model, photos
    )
    shown = [Path(info.path) for info in reading.photos or (reading.photo,)]
    for number, name in enumerate(annotated_names(shown)):
        _annotate(reading, how.annotate, name, number)
    return reading


def read_one(photos: list[Path], how: HowToRead, merge: bool) -> PhotoReading:
    """Read the photo, or with `merge` the photos, of one hand."""
    if len(photos) == 1:
        return next(read_each(photos, how))
    if not merge:
        fail(
            "Several photos: say --merge if they show one hand, else score them one by one.",
            ExitCode.BAD_USAGE,
        )
    if how.point is not None:
        fail("--point names a place on one photo: give one photo.", ExitCode.BAD_USAGE)
    return read_merged(photos, how)


def _recogniser(how: HowToRead) -> Recogniser:
    detector = open_model(how.model)
    with bad_usage(UnknownTileSetError):
        return Recogniser(with_tile_set(detector, how.tile_set))


def _annotate(reading: PhotoReading, folder: Path | None, name: str, photo: int = 0) -> None:
    if folder is not None and reading.photo.width:
        try:
            write_annotated(reading, folder / name, photo)
        except OSError as error:
            fail(f"cannot write {folder / name}: {os_reason(error)}")
        note(f"wrote {folder / name}")
