"""``hupai score``, ``waits``, ``compare`` and ``conformance``: scoring without a photo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from hupai.api.cli.chinese.translate import in_chinese
from hupai.api.cli.circumstance_flags import GivenCircumstances, circumstance_flags
from hupai.api.cli.options import (
    RULES_REQUIRED,
    ExplainOption,
    HandArgument,
    JsonOption,
    RulesOption,
    WinOption,
    complete_rules,
    parse_known_rules,
    parse_words,
    with_win,
)
from hupai.api.cli.score_tables import (
    comparison_view,
    score_view,
    waits_view,
    winning_tiles_view,
)
from hupai.api.cli.terminal import ExitCode, fail, finish, os_reason, out, print_json, serious, tell
from hupai.api.cli.typer_app import LANGUAGE, App
from hupai.scoring import rule_sets
from hupai.scoring.compare import Comparison
from hupai.scoring.compare import compare as compare_rules
from hupai.scoring.conformance import run_file
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.notation import NotationError, parse_tiles
from hupai.scoring.result import RuleSet, Score
from hupai.scoring.waits import (
    HAND_SIZE,
    common_score,
    leaves_winning_tile_open,
    scores_by_winning_tile,
)
from hupai.scoring.waits import waits as find_waits

app = App()


@app.add(
    "score",
    "hupai score '23m55pEEE [567m,1] (9999s) 1h +1m' --rules mcr-1998 --seat E --round E",
    "hupai score 123456789m11444p --win 4p --rules sichuan-2024 --self-drawn --json",
    exits="0 a legal win, 1 no win, below the minimum, or the winning tile is unknown, 2 bad usage",
)
@circumstance_flags
def score(
    hand: HandArgument,
    circumstances: GivenCircumstances,
    rules: RulesOption = RULES_REQUIRED,
    win: WinOption = None,
    explain: ExplainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score a hand in notation.

    For a hand of 14 tiles without a marked winning tile, it shows what each tile would score as
    the winning tile, where that differs.
    """
    given, values = with_win(parse_words(hand), win), circumstances.to_circumstances()
    by_tile = scores_by_winning_tile(rules, given, values)
    found = common_score(by_tile) if by_tile else rules.score(given, values)
    if as_json:
        # pydantic takes 0.15 s to import, and the tables do without it
        from hupai.api.answers.hand_belief import HandBelief
        from hupai.api.answers.score_answer import score_answer

        print_json(score_answer(rules, HandBelief.of_hand(given, circumstances.to_model())))
    elif found is None:
        out().print(winning_tiles_view(by_tile))
    else:
        show_score(rules, given, values, found, explain)
    finish(found is None or not found.legal or serious(found.problems))


def show_score(
    rules: RuleSet, hand: Hand, circumstances: Circumstances, score: Score, explain: bool
) -> None:
    """Print the score of a hand; for 13 tiles, what they wait for too."""
    out().print(score_view(rules, hand, score, explain))
    if leaves_winning_tile_open(hand) and score.complete:
        tell("Any of the tiles may have completed the hand: the score is the same.")
    if hand.size == HAND_SIZE and hand.winning_tile is None:
        found = find_waits(hand, rules, circumstances)
        if not found.problems:
            out().print(waits_view(found))


@app.add(
    "waits",
    "hupai waits 123456789m1144p --rules mcr-1998 --seen '4p 9s'",
    exits="0 ready, 1 not ready, 2 bad usage",
)
@circumstance_flags
def waits(
    hand: HandArgument,
    circumstances: GivenCircumstances,
    rules: RulesOption = RULES_REQUIRED,
    seen: Annotated[
        str,
        typer.Option(
            "--seen",
            metavar="TILES",
            help="Visible tiles outside the hand: discards, melds of other players.",
        ),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """List the winning tiles of a hand of 13 and what each scores.

    Each way of winning has its own total; the tiles left are those neither in the hand nor visible.
    """
    given = parse_words(hand)
    try:
        visible = parse_tiles(seen)
    except NotationError as error:
        fail(f"--seen: {error}", ExitCode.BAD_USAGE)
    found = find_waits(given, rules, circumstances.to_circumstances(), visible)
    if as_json:
        print_json(found)
    else:
        out().print(waits_view(found))
    finish(not found.is_ready)


@app.add(
    "compare",
    "hupai compare '1199m2255p3377s4s +4s' --self-drawn",
    "hupai compare '123456789m1144p +4p' --rules mcr-1998 --rules kc-2.5",
    exits="0 the hand wins under some rule set, 1 under none, 2 bad usage",
)
@circumstance_flags
def compare(
    hand: HandArgument,
    circumstances: GivenCircumstances,
    rules: Annotated[
        list[RuleSet] | None,
        typer.Option(
            "--rules",
            "-r",
            parser=parse_known_rules,
            metavar="ID",
            autocompletion=complete_rules,
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
        # pydantic takes 0.15 s to import, and the tables do without it
        from hupai.api.contract.serialise import column_json

        for column in comparison.columns:
            print_json(column_json(given, column))
    else:
        out().print(comparison_view(comparison))
        for line in profile_differences(comparison):
            out().print(line, markup=False)
    finish(not comparison.wins())


def profile_differences(comparison: Comparison) -> Iterator[str]:
    """Yield a line for each fan that profiles of a family count differently from its first."""
    chosen = [rule_sets.get(column.rules) for column in comparison.columns]
    for family in rule_sets.families():
        first = next((rules for rules in chosen if rules in family.rules), None)
        for pair in family.differences(comparison.hand, comparison.circumstances, chosen):
            for fan in pair.fans if first is not None and pair.left.rules == first.id else ():
                left, right = (
                    0 if points is None else points[0] * points[1]
                    for points in (fan.left, fan.right)
                )
                counts = f"{pair.left.rules} {left}, {pair.right.rules} {right}"
                named = {"zh": fan.zh, "en": fan.en}.get(LANGUAGE.get(), f"{fan.zh} {fan.en}")
                yield (
                    f"{named}：{counts}。{fan.reason_zh}"
                    if LANGUAGE.get() == "zh"
                    else f"{named}: {counts}. {fan.reason_en}"
                )


@app.add(
    "conformance",
    "hupai conformance cases.jsonl",
    exits="0 every case passed, 1 a case differs or none can be read, 2 bad usage",
)
def conformance(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.jsonl", readable=False, help="Scoring cases, one JSON object a line."
        ),
    ],
    as_json: JsonOption = False,
    every: Annotated[bool, typer.Option("--all", help="List the cases that pass, too.")] = False,
) -> None:
    """Run scoring cases and show those that differ.

    Both breakdowns are shown; the last line counts.
    """
    try:
        report = run_file(file)
    except OSError as error:
        fail(f"{file}: {os_reason(error)}")
    if not report.results:
        fail(f"{file}: no cases; write one JSON object a line")
    for result in report.results if every else report.failures:
        if as_json:
            print_json(result)
        elif result.passed:
            typer.echo(in_chinese(f"{result.id or f'line {result.line}'} [{result.rules}] passed"))
        else:
            typer.echo("\n".join(map(in_chinese, result.lines())))
    counts = {"passed": report.passed, "failed": report.failed}
    print_json(counts) if as_json else typer.echo(in_chinese(report.summary))
    finish(report.failed > 0)
