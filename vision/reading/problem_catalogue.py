"""The problems of a photo: stable codes, worded in ``problems.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hupai.scoring.result import Severity
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.vision.types import PhotoProblem


@dataclass(frozen=True, slots=True)
class Wording:
    """Severity of a problem and its messages; ``{}`` stands for a detail such as a tile's name."""

    severity: Severity
    en: str
    zh: str


WORDINGS = {
    code: Wording(Severity(entry["severity"]), entry["en"], entry["zh"])
    for code, entry in tomllib.loads(
        Path(__file__).with_name("problems.toml").read_text("utf-8")
    ).items()
}
"""Every problem of a photo by its code."""


def problem(
    code: str, tiles: Iterable[int] = (), detail_en: object = "", detail_zh: object = ""
) -> PhotoProblem:
    """Make the problem with this code.

    Args:
        code: one of `WORDINGS`.
        tiles: ids of the tiles concerned.
        detail_en: fills the English message.
        detail_zh: fills the Chinese one; the same if it is not given.
    """
    wording = WORDINGS[code]
    return PhotoProblem(
        code,
        wording.severity,
        wording.en.replace("{}", str(detail_en)),
        wording.zh.replace("{}", str(detail_zh or detail_en)),
        tuple(sorted(tiles)),
    )


def tile_problem(code: str, tiles: Iterable[int], *faces: Tile) -> PhotoProblem:
    """Make the problem with this code about tiles with these faces."""
    return problem(code, tiles, "".join(t.code for t in faces), "".join(ZH_NAMES[t] for t in faces))


def errors_first(problems: Iterable[PhotoProblem]) -> tuple[PhotoProblem, ...]:
    """Sort problems: errors, then warnings, then notes."""
    order = list(Severity)
    return tuple(sorted(problems, key=lambda p: (order.index(p.severity), p.code, p.tiles)))
