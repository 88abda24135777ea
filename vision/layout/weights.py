"""The fitted weights of layout, stored in a file.

`hupai.models.training.layout` fits them and writes the file; `models/layout.md` describes the data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SHIPPED = Path(__file__).parent.parent.parent / "models" / "weights" / "layout.json"
"""The weights file used by default."""


_SECTIONS = ("selection", "limits", "grouping", "tiles", "certainty")
"""Sections of the file, named like the attributes of `LayoutWeights`."""


@dataclass(frozen=True, slots=True, eq=False)
class LayoutWeights:
    """Weights of the features that score layout, in log-odds per unit.

    Attributes:
        version: version of the weights.
        selection: selection of the hand's tiles, by the names in
            `hupai.vision.layout.selection_features.FEATURES`; missing ones are 0.
        limits: least scores of tiles that are read as the hand: ``hand`` if there are as many as a
            hand has, ``partial`` if there are fewer, ``other`` if there are more or if they are
            another hand beside it; ``further`` is the least score of another hand that is offered,
            without the features of size and place. All are percentiles that
            `hupai.models.training.layout.limits` measures.
        grouping: grouping of the hand, by the names of
            `hupai.vision.layout.group_features.Feature` in lower case.
        tiles: probability that the selected tiles are those of the hand, by the names in
            `hupai.vision.reading.certainty.features.FEATURES`, and ``bias``.
        certainty: probability that the whole reading is right, by the same names; ``threshold`` is
            the probability from which a reading is certain.
    """

    version: str
    selection: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    grouping: Mapping[str, float] = field(default_factory=dict)
    tiles: Mapping[str, float] = field(default_factory=dict)
    certainty: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> LayoutWeights:
        """Read a file of weights.

        Raises:
            OSError, ValueError, KeyError: if it cannot be read or is not a weights file.
        """
        content = json.loads(path.read_text("utf-8"))
        found = content.get("limits", {})
        if "further" not in found:  # before 2026.11.34 there were none, before 2026.11.39 three
            content["limits"] = {**shipped_weights().limits, **found}
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


def weight_vector(weights: Mapping[str, float], names: Sequence[str]) -> NDArray[np.float64]:
    """Return weights in the order of these names, shape (k,); missing ones are 0.

    Raises:
        ValueError: if a weight has another name, as that of a feature that was renamed.
    """
    if unknown := weights.keys() - names:
        raise ValueError(f"weights of unknown features: {', '.join(sorted(unknown))}")
    return np.array([weights.get(name, 0.0) for name in names])


def weights_of(detector: object) -> LayoutWeights | None:
    """Return the layout weights that belong to a detector's weights; None for the shipped ones."""
    found = getattr(detector, "layout", None)
    return found if isinstance(found, LayoutWeights) else None


@cache
def shipped_weights() -> LayoutWeights:
    """Read the weights shipped with the package."""
    return LayoutWeights.load(SHIPPED)
