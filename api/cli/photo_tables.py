"""What is on a photo, and what stays open about it, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from hupai.api.cli.chinese.translate import in_chinese
from hupai.api.cli.circumstance_flags import flags_of
from hupai.api.cli.score_tables import problem_lines, tile_codes
from hupai.api.cli.terminal import Rows
from hupai.api.cli.typer_app import LANGUAGE, said
from hupai.api.contract.verdict import OutcomeShareOut, VerdictOut, VerdictQuestionOut
from hupai.scoring.notation import format_hand
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.vision.types import OtherHand, PhotoReading, Reading, ReadTile

_RARE = 0.05
"""Totals below this probability are set apart from the others."""


def reading_view(reading: PhotoReading) -> RenderableType:
    """Return what is on a photo: groups, likeliest hands, problems, time."""
    read = reading.reading
    parts: list[RenderableType] = [_heading(reading)]
    if read.tiles:
        parts.append(_group_table(read))
    if read.hands:
        parts.append(_hand_table(read))
    if read.problems:
        parts.append(problem_lines(read.problems))
    if len(reading.photos) <= 1:
        parts += [Text(in_chinese(_another_hand(other))) for other in read.other_hands]
    time, model = reading.timing, reading.model
    parts.append(
        Text(in_chinese(f"{time.total:.0f} ms, model {model.name} {model.version}"), style="dim")
    )
    return Group(*parts)


def _another_hand(other: OtherHand) -> str:
    x, y = other.at
    return f"another hand, {len(other.tiles)} tiles: --at {x:.0f},{y:.0f}"


_CODES_AND_NAMES = {"": ("tiles", "牌"), "zh": ("牌",), "en": ("tiles",)}
"""Headings of the tiles, by the language asked for."""


def _heading(reading: PhotoReading) -> Text:
    """Return path and size of the photo; of several photos of one hand each with its number."""
    photos = reading.photos or (reading.photo,)
    numbers = [f"{number}: " for number in range(1, len(photos) + 1)] if len(photos) > 1 else [""]
    lines = [
        f"{number}{photo.path}  {photo.width} x {photo.height}"
        for number, photo in zip(numbers, photos, strict=True)
    ]
    return Text("\n".join(lines), style="bold")


def _group_table(read: Reading) -> Rows:
    held = sum(tile.in_hand for tile in read.tiles)
    table = Rows(
        *("group", *(_CODES_AND_NAMES[LANGUAGE.get()]), "claimed from", "least sure"),
        title=f"{len(read.tiles)} tiles, {held} of them in the hand",
        right=("least sure",),
    )
    by_id = {tile.id: tile for tile in read.tiles}
    for group in read.groups:
        tiles = [by_id[i] for i in group.tiles if i in by_id]
        faces = [tile.tile for tile in tiles]
        codes, zh = tile_codes(faces), " ".join(ZH_NAMES[face] for face in faces)
        names = {"zh": (zh,), "en": (codes,)}.get(LANGUAGE.get(), (codes, zh))
        table.add(
            group.kind.value,
            *names,
            group.claimed_from.value if group.claimed_from else "",
            _least_sure(tiles),
        )
    return table


def tile_name(tile: Tile) -> str:
    """Return the code of a tile, or its name where Chinese is asked for."""
    return ZH_NAMES[tile] if LANGUAGE.get() == "zh" else tile.code


_OR = {"zh": "，或"}


def _least_sure(tiles: Sequence[ReadTile]) -> str:
    seen = [tile for tile in tiles if not tile.inferred]
    if not seen:
        return ""
    tile = min(seen, key=lambda one: one.confidence)
    name = tile_name(tile.tile)
    text = f"{name} {tile.confidence:.2f}"
    for other, probability in tile.alternatives[:1]:
        text += f"{_OR.get(LANGUAGE.get(), ', or ')}{tile_name(other)} {probability:.2f}"
    return text


def _hand_table(read: Reading) -> Rows:
    title = "Likeliest hands" + (", certain" if read.certain else "")
    table = Rows("probability", "hand", "winning tile", title=title, right=("probability",))
    for likely in read.hands:
        won = likely.hand.winning_tile
        table.add(
            f"{likely.probability:.3f}",
            format_hand(likely.hand),
            "not known" if won is None else tile_name(won),
        )
    return table


def verdict_view(verdict: VerdictOut, *, winner_shown: bool = False) -> RenderableType:
    """Return what a photographed hand may score, and the question that decides most.

    With `winner_shown` the question for the winning tile has been shown before.
    """
    text = Text(said(verdict.message, verdict.message_zh), style="bold yellow")
    if verdict.question is None or (winner_shown and verdict.question.about == "winning_tile"):
        return text
    rare = any(_rare(option.outcomes) for option in verdict.question.options)
    parts: list[RenderableType] = [text, _options(verdict.question, rare)]
    flags = [flags_of(one.name)[0] for one in verdict.further if one.about == "circumstance"]
    if rare and flags:
        parts.append(
            Text(in_chinese(f"A rare total depends on what was not stated: {', '.join(flags)}."))
        )
    return Group(*parts)


def _options(question: VerdictQuestionOut, rare: bool) -> Rows:
    totals, received = [], []
    for option in question.options:
        usual = [one for one in option.outcomes if one not in _rare(option.outcomes)]
        totals.append(", ".join(dict.fromkeys(map(_total, usual))))
        paid = (str(one.winner_receives) for one in usual if one.legal)
        received.append(", ".join(dict.fromkeys(paid)))
    differs = len(set(zip(totals, received, strict=True))) > len(set(totals))
    headings = {"winner receives": differs, "rarely": rare}
    more = [heading for heading, shown in headings.items() if shown]
    table = Rows("answer", "likely", "total", *more, right=("likely",))
    for option, total, receives in zip(question.options, totals, received, strict=True):
        same = option.label_en == option.label_zh
        label = option.label_en if same else said(option.label_en, option.label_zh)
        seldom = ", ".join(
            f"{_total(one)} ({one.probability:.0%})" for one in _rare(option.outcomes)
        )
        cells = {"winner receives": receives, "rarely": seldom}
        table.add(label, f"{option.probability:.0%}", total, *(cells[name] for name in more))
    return table


def _rare(outcomes: Sequence[OutcomeShareOut]) -> list[OutcomeShareOut]:
    return [one for one in outcomes[1:] if one.probability < _RARE]


def _total(outcome: OutcomeShareOut) -> str:
    if outcome.legal:
        return str(outcome.total)
    return in_chinese(f"{outcome.total} (not allowed)" if outcome.complete else "no win")
