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

OWN = "+own"
"""End of the version of weights that were fitted to a user's corrections: only the grouping is."""


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
            the probability from which a reading is certain. Like `tiles`, it judges readings only
            in the shipped weights.
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

        Sections that it lacks are those shipped. Of weights fitted to a user's corrections only the
        grouping is read: the other sections, which older files have, are those of the version that
        they were fitted to, and the hand would be selected as in that version.

        Raises:
            OSError, ValueError, KeyError: if it cannot be read or is not a weights file.
        """
        content = json.loads(path.read_text("utf-8"))
        version = str(content["version"])
        fitted = ("grouping",) if version.endswith(OWN) else _SECTIONS
        found = {
            section: {name: float(weight) for name, weight in content[section].items()}
            for section in fitted
            if section in content
        }
        if found.keys() < set(_SECTIONS):
            shipped = shipped_weights()
            found = {section: getattr(shipped, section) for section in _SECTIONS} | found
        return cls(version, **found)

    def save(self, path: Path) -> None:
        """Write a file of weights, without the sections that `load` would not read."""
        fitted = ("grouping",) if self.version.endswith(OWN) else _SECTIONS
        sections = {section: dict(getattr(self, section)) for section in fitted}
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
