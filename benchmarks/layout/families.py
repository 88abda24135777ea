"""The three families of tables: how each is generated from a number, rendered, and classified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.conventions.families import FAMILIES as CONVENTIONS
from benchmarks.conventions.scene import Table
from benchmarks.conventions.scene import table as of_convention
from benchmarks.layout.scenes import Sample, picture, sample
from benchmarks.layout.table import LaidTable
from benchmarks.layout.whole import WholeSample, kinds_of, whole, whole_picture
from hupai.vision.types import Image


@dataclass(frozen=True, slots=True)
class Family:
    """A family of tables.

    Attributes:
        name: name in reports.
        meaning: description and generator.
        table: generates the table of a number.
        pictured: whether its tables can be rendered.
    """

    name: str
    meaning: str
    table: Callable[[int], LaidTable]
    pictured: bool = True


def _second(number: int) -> Table:
    """Generate a table of another convention; the conventions alternate."""
    names = list(CONVENTIONS)
    return of_convention(names[number % len(names)], number // len(names))


FAMILIES: dict[str, Family] = {
    "1": Family("family 1", "hands and what lies around them, hupai.datasets.synthetic", sample),
    "2": Family("family 2", "other conventions, benchmarks.conventions", _second, pictured=False),
    "3": Family("family 3", "whole tables, hupai.datasets.synthetic.tables", whole),
}
"""The families by their number."""


def key(table: LaidTable) -> str:
    """Return the cache key of a table's picture."""
    return f"{'whole' if isinstance(table, WholeSample) else 'scene'}-{table.seed}"


def picture_of(table: LaidTable, faults: float = 0.6, own_set: bool = False) -> Image:
    """Render the photo of a table, uint8 RGB.

    Args:
        table: of a family that can be rendered.
        faults: strength of the photo's defects, 0 to 1.
        own_set: whether to use the project's own faces instead of a random style.

    Raises:
        TypeError: for a table of another family.
    """
    if isinstance(table, WholeSample):
        return whole_picture(table, faults, own_set)
    if isinstance(table, Sample):
        return picture(table, faults, own_set)
    raise TypeError(f"table {table.seed} has no picture")


def kinds(table: LaidTable) -> tuple[str, ...]:
    """Return the kinds of a table by which a report splits its family."""
    if isinstance(table, WholeSample):
        return kinds_of(table)
    if isinstance(table, Table):
        return (table.family,)
    assert isinstance(table, Sample)
    limits = (25, 40, 60, 91)
    seen_from = next(f"elevation < {limit}" for limit in limits if table.view.elevation < limit)
    melded = f"melds {table.style.melds}" if table.hand.melds else "no melds"
    return melded, f"winning {table.style.winning}", seen_from


def style_of(table: LaidTable) -> str:
    """Describe how a table is laid and seen, for the caption of a failure."""
    if not isinstance(table, Sample):
        return ", ".join(kinds(table))
    style = table.style
    return (
        f"melds {style.melds}, winning {style.winning}, rows {style.rows}, "
        f"flowers {style.flowers}, gap {style.gap:.2f}/{style.group_gap:.2f}, "
        f"elevation {table.view.elevation:.0f}"
    )
