"""``hupai photo``: what the hand on a photo scores."""

from __future__ import annotations

from typing import Annotated

import typer

from hupai.api.answers.hand_belief import HandBelief, WinningTileError
from hupai.api.answers.score_answer import score_answer
from hupai.api.cli.circumstance_flags import GivenCircumstances, circumstance_flags
from hupai.api.cli.commands.scoring import show_score
from hupai.api.cli.options import (
    RULES_REQUIRED,
    AnnotateOption,
    AtOption,
    ExplainOption,
    JsonOption,
    MergeOption,
    ModelOption,
    PhotosArgument,
    RulesOption,
    TileSetOption,
    WinOption,
    complete_rules,
    parse_known_rules,
)
from hupai.api.cli.photo_tables import verdict_view
from hupai.api.cli.reading import HowToRead, read_one, show_reading
from hupai.api.cli.score_tables import comparison_view, winning_tiles_view
from hupai.api.cli.terminal import bad_usage, finish, out, print_json, serious, tell
from hupai.api.cli.typer_app import App
from hupai.api.contract import to_dict
from hupai.api.contract.score import ScoreAnswer
from hupai.api.contract.serialise import column_json
from hupai.scoring.compare import Comparison
from hupai.scoring.compare import compare as compare_rules
from hupai.scoring.hand import Hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import scores_by_winning_tile
from hupai.vision.types import PhotoReading, Reading

_CLEAR = 0.9
"""Probability from which a tile beside the hand is offered as an indicator."""

_FEW = 10
"""With more tiles than this beside the hand, they are not a row of the dead wall."""

app = App()


@app.add(
    "photo",
    "hupai photo hand.jpg --rules mcr-1998 --seat E --round E --self-drawn",
    "hupai photo hand.jpg --rules kc-2.5 --win 4p --also mcr-1998",
    exits="0 a legal win, also if a question is still open, 1 no win, below the minimum, "
    "problems, or the winning tile is unknown, 2 bad usage",
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
            help="Also score the hand under this rule set; may be repeated.",
        ),
    ] = None,
    at: AtOption = None,
    merge: MergeOption = False,
    as_json: JsonOption = False,
    annotate: AnnotateOption = None,
    model: ModelOption = "default",
    tile_set: TileSetOption = "auto",
) -> None:
    """Read a photo and score the hand in it. 看照片，算番数。

    With --merge several photos of one hand are read as one. If the winning tile does not lie
    apart and the score depends on it, the answer shows what each tile would score as the winning
    tile.
    """
    how = HowToRead(model, tile_set, annotate, rules, at)
    reading = read_one(photos, how, merge)
    answer = _answer(reading, rules, circumstances, win)
    hand = None if answer is None else answer.hand.to_hand()
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
            show_beside(reading.reading, rules, answer)
        if beside is not None:
            out().print(comparison_view(beside))
    finish(answer is None or not _is_clean(answer) or serious(reading.reading.problems))


def _answer(
    reading: PhotoReading, rules: RuleSet, circumstances: GivenCircumstances, win: Tile | None
) -> ScoreAnswer | None:
    """Score the likeliest hand of a reading; None if it has none."""
    if not reading.reading.hands:
        return None
    belief = HandBelief.of_reading(reading.reading, circumstances.to_model())
    if win is not None:
        with bad_usage(WinningTileError):
            belief = belief.won_by(win)
    return score_answer(rules, belief)


def _is_clean(answer: ScoreAnswer) -> bool:
    """Return whether an answer is a legal win without problems."""
    score = answer.score
    return score is not None and score.legal and not serious(score.problems)


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


def show_beside(reading: Reading, rules: RuleSet, answer: ScoreAnswer) -> None:
    """Offer the tiles that lie beside the hand as indicators, if the rules use them."""
    wanted = "dora_indicators" in rules.circumstances
    if not wanted or answer.circumstances.dora_indicators:
        return
    codes = [
        tile.tile.code
        for tile in reading.tiles
        if not tile.in_hand and tile.tile.is_playable and tile.confidence > _CLEAR
    ]
    if 0 < len(codes) <= _FEW:
        tell(f"Beside the hand: {' '.join(codes)}. If one is the dora indicator: --dora {codes[0]}")


def show_answer(rules: RuleSet, hand: Hand, answer: ScoreAnswer, explain: bool) -> None:
    """Print the score of a photographed hand, or what each winning tile would score, and the
    verdict.
    """
    circumstances = answer.circumstances.to_circumstances()
    if answer.score is None:
        out().print(winning_tiles_view(scores_by_winning_tile(rules, hand, circumstances)))
    else:
        show_score(rules, hand, circumstances, answer.score, explain)
    if answer.verdict is not None:
        out().print(verdict_view(answer.verdict, winner_shown=answer.score is None))
