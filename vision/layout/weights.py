"""The weights of layout: numbers fitted on recorded tables, kept in a file.

`hupai.models.training.layout` fits them and writes the file; `models/layout.md` tells on what.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SHIPPED = Path(__file__).parent.parent.parent / "models" / "weights" / "layout.json"
"""The file that is used unless another is given."""


_SECTIONS = ("selection", "grouping", "tiles", "certainty")
"""Sections of the file, as the attributes of `LayoutWeights` are called."""


@dataclass(frozen=True, slots=True, eq=False)
class LayoutWeights:
    """Weights of the features by which layout is scored, log-odds a unit.

    Attributes:
        version: of the weights.
        selection: which tiles are the hand, by the names in
            `hupai.vision.layout.selection_features.FEATURES`; those not named count nothing.
        grouping: how the hand is grouped, by the names of
            `hupai.vision.layout.group_features.Feature` in lower case.
        tiles: whether the tiles chosen are those of the hand, by the names in
            `hupai.vision.reading.certainty_features.FEATURES`, and ``bias``.
        certainty: whether all of a reading is right, by the same names; ``threshold`` is the
            probability from which a reading is certain.
    """

    version: str
    selection: Mapping[str, float] = field(default_factory=dict)
    grouping: Mapping[str, float] = field(default_factory=dict)
    tiles: Mapping[str, float] = field(default_factory=dict)
    certainty: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> LayoutWeights:
        """Read a file of weights.

        Raises:
            OSError, ValueError, KeyError: when it cannot be read or is none.
        """
        content = json.loads(path.read_text("utf-8"))
        sections = (
            {name: float(weight) for name, weight in content.get(section, {}).items()}
            for section in _SECTIONS
        )
        return cls(str(content["version"]), *sections)

    def save(self, path: Path) -> None:
        """Write a file of weights."""
        sections = {section: dict(getattr(self, section)) for section in _SECTIONS}
        content = {"version": self.version, **sections}
        path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


@cache
def shipped_weights() -> LayoutWeights:
    """Read the weights that come with the package."""
    return LayoutWeights.load(SHIPPED)
