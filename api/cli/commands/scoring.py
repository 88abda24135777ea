"""``hupai score``, ``waits``, ``compare`` and ``conformance``: scoring without a photo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hupai.api.cli.circumstance_flags import circumstance_flags
from hupai.api.cli.common import (
    ExitCode,
    ExplainOption,
    HandArgument,
    JsonOption,
    RulesOption,
    WinOption,
    fail,
    finish,
    out,
    parse_known_rules,
    parse_words,
)
from hupai.api.cli.tables import comparison_view, score_view, waits_view
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.score import ScoreAnswer
from hupai.api.contract.serialise import case_json, column_json, json_line, waits_json
from hupai.api.contract.verdict import VerdictOut, VerdictQuestionOut
from hupai.scoring.compare import Comparison
from hupai.scoring.compare import compare as compare_rules
from hupai.scoring.hand import Hand
from hupai.scoring.mcr.profile_differences import differences
from hupai.scoring.mcr.rules import rules_by_id
from hupai.scoring.notation import NotationError, format_hand, parse_tiles
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import HAND_SIZE
from hupai.scoring.waits import waits as find_waits


@circumstance_flags
def score(
    hand: HandArgument,
    rules: RulesOption,
    circumstances: CircumstancesModel,
    win: WinOption = None,
    explain: ExplainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score a hand in notation.

    A hand of 14 tiles without a winning tile is answered with what each tile would score as the
    winning one.
    """
    from hupai.api.answers.hand_belief import HandBelief
    from hupai.api.answers.score_answer import score_answer

    given = with_win(parse_words(hand), win)
    answer = score_answer(rules, HandBelief.of_hand(given, circumstances))
    if as_json:
        typer.echo(json_line(answer.model_dump(mode="json")))
    else:
        show_answer(rules, given, circumstances, answer, explain)
    finish(answer_has_problems(answer))


def with_win(hand: Hand, win: Tile | None) -> Hand:
    """The hand with the winning tile that ``--win`` names; stops with code 2 where the hand has no
    such tile.
    """
    if win is None:
        return hand
    from hupai.api.answers.requests import with_winning_tile

    if win not in hand.concealed and hand.winning_tile != win:
        fail(
            f"--win {win.code}: the hand {format_hand(hand)} has no {win.code} among its concealed tiles",
            ExitCode.BAD_USAGE,
        )
    return with_winning_tile(hand, win)


def answer_has_problems(answer: ScoreAnswer) -> bool:
    """Whether an answer leaves something open, or is no win without problems."""
    if answer.score is None:
        return True
    return not answer.score.legal or any(
        problem.severity != "note" for problem in answer.score.problems
    )


def show_answer(
    rules: RuleSet,
    hand: Hand,
    circumstances: CircumstancesModel,
    answer: ScoreAnswer,
    explain: bool,
) -> None:
    """Print an answer: the score, what a hand of 13 waits for, and what is asked back."""
    if answer.score is not None:
        out().print(
            score_view(rules, hand, rules.score(hand, circumstances.to_circumstances()), explain)
        )
    if hand.size == HAND_SIZE and hand.winning_tile is None:
        found = find_waits(hand, rules, circumstances.to_circumstances())
        if not found.problems:
            out().print(waits_view(found))
    if answer.verdict is not None:
        _show_verdict(answer.verdict, has_score=answer.score is not None)


def _show_verdict(verdict: VerdictOut, *, has_score: bool) -> None:
    """Print what the hand comes to, where the score alone does not say it, and what is asked."""
    if has_score and verdict.agreed and len(verdict.hands) == 1 and verdict.question is None:
        return
    out().print(Text(f"{verdict.message} {verdict.message_zh}", style="bold yellow"))
    asked = [] if verdict.question is None else [verdict.question, *verdict.further]
    for question in asked:
        names_winner = question.about == "winning_tile"
        if question != asked[0] and not names_winner:
            continue
        if question.message not in verdict.message:
            out().print(Text(f"{question.message} {question.message_zh}", style="bold yellow"))
        out().print(_options_view(question))
        if names_winner:
            example = question.options[0].value
            out().print(f"Name it with --win, e.g. --win {example}", markup=False)


def _options_view(question: VerdictQuestionOut) -> Table:
    table = Table()
    table.add_column("answer")
    table.add_column("likely", justify="right")
    table.add_column("total")
    for option in question.options:
        totals = [
            str(one.total)
            if one.legal
            else f"{one.total} (may not win)"
            if one.complete
            else "no win"
            for one in option.outcomes
        ]
        label = option.label_en
        if option.label_zh != label:
            label += f" {option.label_zh}"
        table.add_row(escape(label), f"{option.probability:.0%}", ", ".join(dict.fromkeys(totals)))
    return table


@circumstance_flags
def waits(
    hand: HandArgument,
    rules: RulesOption,
    circumstances: CircumstancesModel,
    seen: Annotated[
        str,
        typer.Option(
            "--seen",
            metavar="TILES",
            help="Tiles in view that are not the hand's own: discards, others' sets.",
        ),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Name the tiles that complete a hand of 13, what each scores in each way of winning, and how
    many are left.
    """
    given = parse_words(hand)
    try:
        visible = parse_tiles(seen)
    except NotationError as error:
        fail(f"--seen: {error}", ExitCode.BAD_USAGE)
    found = find_waits(given, rules, circumstances.to_circumstances(), visible)
    if as_json:
        typer.echo(json_line(waits_json(found)))
    else:
        out().print(waits_view(found))
    finish(not found.is_ready)


@circumstance_flags
def compare(
    hand: HandArgument,
    circumstances: CircumstancesModel,
    rules: Annotated[
        list[RuleSet] | None,
        typer.Option(
            "--rules",
            "-r",
            parser=parse_known_rules,
            metavar="ID",
            help="Only these; may be repeated.",
        ),
    ] = None,
    win: WinOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score one hand under several rule sets, by default all."""
    given = with_win(parse_words(hand), win)
    chosen = None if rules is None else [one.id for one in rules]
    comparison = compare_rules(given, circumstances.to_circumstances(), chosen)
    if as_json:
        for column in comparison.columns:
            typer.echo(json_line(column_json(given, column)))
    else:
        out().print(comparison_view(comparison))
        for found in profile_differences(comparison):
            out().print(found)
    finish(not comparison.wins())


def profile_differences(comparison: Comparison) -> Iterator[Text]:
    """A line for each fan that MCR profiles count differently from the first of them, with the
    reason.
    """
    profiles = [
        rules_by_id(column.rules)
        for column in comparison.columns
        if column.rules.startswith("mcr-")
    ]
    for other in profiles[1:]:
        found = differences(comparison.hand, comparison.circumstances, profiles[0], other)
        for fan in found.fans:
            counts = [
                0 if worth is None else worth[0] * worth[1] for worth in (fan.left, fan.right)
            ]
            names = f"{fan.zh} {fan.en}: {profiles[0].id} {counts[0]}, {other.id} {counts[1]}."
            yield Text(f"{names} {fan.reason_en}")


def conformance(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.jsonl",
            exists=True,
            dir_okay=False,
            help="Scoring cases, one JSON object a line.",
        ),
    ],
    as_json: JsonOption = False,
    every: Annotated[bool, typer.Option("--all", help="List the cases that pass, too.")] = False,
) -> None:
    """Run scoring cases and show each that differs, with both breakdowns; the last line counts."""
    from hupai.scoring.conformance import run_file

    report = run_file(file)
    shown = report.results if every else report.failures
    for result in shown:
        if as_json:
            typer.echo(json_line(case_json(result)))
        elif result.passed:
            typer.echo(f"{result.id or f'line {result.line}'} [{result.rules}] passed")
        else:
            typer.echo("\n".join(result.lines()))
    typer.echo(
        json_line({"passed": report.passed, "failed": report.failed}) if as_json else report.summary
    )
    finish(report.failed > 0)
