"""From photos to shipped weights in one command; every step is skipped if it is done, so the same
command goes on after a stop.

    python -m hupai.models.training [WORK] [--shared ../shared] [--short]

WORK (default data/training, which git ignores) gets everything in between, about 8 GB: faces/,
scenes-*/, detector-data/, crops/, runs/. The result is models/weights and the entry in
models/registry.toml. --short: a third of the scenes, half of the detector's epochs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SEEDS = (11, 12)


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything.

    Attributes:
        scenes: rendered scenes per seed.
        styles: drawn tile designs.
        detector_epochs, detector_size: of the detector, size in pixels.
        classifier_epochs, per_epoch, batch: of the classifier, patches a pass and a step.
    """

    scenes: tuple[int, int] = (3400, 1600)
    styles: int = 80
    detector_epochs: int = 6
    detector_size: int = 448
    classifier_epochs: int = 8
    per_epoch: int = 60000
    batch: int = 128


SHORT = Size((1000, 500), 30, 3, 448, 8, 60000, 64)
"""With few passes, smaller steps and more of them: 4 passes of 128 patches a step read 31 of the 36
development hands.
"""


def run(work: Path, shared: Path, size: Size, version: str) -> None:
    """Do all steps that are not done yet.

    Raises:
        subprocess.CalledProcessError: when a step fails; what it wrote so far stays, the next run
        goes on from there.
    """
    faces, photos, crops = work / "faces", shared / "photos", work / "crops"
    steps = _Steps(work)
    steps.once(
        "faces",
        "hupai.datasets.faces.from_sources",
        faces,
        "--shared",
        shared,
        "--styles",
        size.styles,
    )
    scenes = [work / f"scenes-{seed}" for seed in SEEDS]
    for folder, seed, count in zip(scenes, SEEDS, size.scenes, strict=True):
        sets = sorted(p for p in faces.iterdir() if p.is_dir())
        how: tuple[object, ...] = (
            "--count",
            count,
            "--seed",
            seed,
            "--workers",
            os.cpu_count() or 1,
            "--drawn-share",
            0.4,
        )
        steps.once(folder.name, "hupai.datasets.synthetic.generate", folder, *how, "--faces", *sets)
        steps.once(
            f"crops-{folder.name}",
            "hupai.models.training.classifier.crops",
            crops / f"{folder.name}.npz",
            "--scenes",
            folder,
        )
    for split in ("train", "dev"):
        source = ("--photos", photos / split, "--split", split)
        steps.once(
            f"crops-{split}",
            "hupai.models.training.classifier.crops",
            crops / f"{split}.npz",
            *source,
        )
    data, check = work / "detector-data", ("--photos", photos / "train", "--check", photos / "dev")
    steps.once(
        "detector-data", "hupai.models.training.detector.prepare", data, "--scenes", *scenes, *check
    )

    detector, classifier = work / "runs" / "detector", work / "runs" / "classifier"
    how = ("--epochs", size.detector_epochs, "--size", size.detector_size, "--resume")
    steps.once("detector", "hupai.models.training.detector.train", data, detector, *how)
    material = (
        "--synthetic",
        *(crops / f"{folder.name}.npz" for folder in scenes),
        "--real",
        crops / "train.npz",
    )
    how = (
        "--check",
        crops / "dev.npz",
        "--epochs",
        size.classifier_epochs,
        "--per-epoch",
        size.per_epoch,
    )
    how = (*how, "--batch", size.batch, "--resume")
    steps.once("classifier", "hupai.models.training.classifier.train", classifier, *material, *how)
    steps.always("hupai.models.training.plots", detector)
    steps.always("hupai.models.training.plots", classifier, "--check", crops / "dev.npz")
    weights = (
        "--detector",
        detector / "weights" / "last.pt",
        "--classifier",
        classifier / "classifier.pt",
    )
    steps.always("hupai.models.training.export", *weights, "--version", version)
    rendered = (crops / f"{folder.name}.npz" for folder in scenes)
    steps.always(
        "hupai.models.training.classifier.mean_logits", "--crops", *rendered, "--version", version
    )


class _Steps:
    """Runs modules as programs of their own; a mark in WORK/done says that a step ended well."""

    def __init__(self, work: Path) -> None:
        self._done = work / "done"

    def once(self, name: str, module: str, *args: object) -> None:
        """Run a step unless it is done."""
        mark = self._done / name
        if mark.exists():
            print(f"{name}: done before")
            return
        print(f"{name}: begins", flush=True)
        self.always(module, *args)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()

    def always(self, module: str, *args: object) -> None:
        """Run a step, done or not."""
        subprocess.run([sys.executable, "-m", module, *map(str, args)], check=True)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path, nargs="?", default=Path("data/training"))
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--version", default="2026.11")
    parser.add_argument("--short", action="store_true")
    a = parser.parse_args()
    run(a.work, a.shared, SHORT if a.short else Size(), a.version)


if __name__ == "__main__":
    main()
