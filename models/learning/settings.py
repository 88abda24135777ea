"""Settings of a fine-tuning."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from hupai.models import registry
from hupai.vision.layout.weights import shipped_weights

TRAINABLE = ("classifier", "detector", registry.LAYOUT)
"""Parts that can be fine-tuned."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a fine-tuning.

    Attributes:
        parts: what is trained, some of `TRAINABLE`.
        deep: train all layers of the classifier, with PyTorch, instead of fitting the last one.
        epochs: number of epochs of that training, and of the detector's.
        per_epoch: crops per epoch of that training.
        scenes: rendered scenes that are mixed in.
        designs: rendered hands of held-out designs for the gate.
        mix: labelled folders that are mixed in.
        checks: further labelled folders for the gate; they are not trained on.
    """

    parts: tuple[str, ...] = ("classifier",)
    deep: bool = False
    epochs: int = 3
    per_epoch: int = 4000
    scenes: int = 150
    designs: int = 40
    mix: tuple[Path, ...] = ()
    checks: tuple[Path, ...] = ()

    def digest(self, data: Path) -> str:
        """Return a hash of the settings, the set and the shipped weights.

        Folders that are mixed in or measured are hashed by their paths, not by their contents.
        """
        document = asdict(self) | {
            "data": registry.sha256(data / "manifest.json"),
            "base": registry.find(registry.DEFAULT).info.sha256,
            "layout": shipped_weights().version,
        }
        text = json.dumps(document, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:12]
