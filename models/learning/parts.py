"""Trains the parts of a candidate: classifier, detector, layout weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hupai.datasets.synthetic.generate import SceneKind, generate
from hupai.models import registry
from hupai.models.learning import last_layer
from hupai.models.learning.detector_pictures import write_pictures
from hupai.models.learning.layout_cases import own_cases, scene_cases
from hupai.models.learning.set_crops import SetCrops
from hupai.models.training.classifier.crops import NONE
from hupai.models.training.layout.grouping import fit, hands_of
from hupai.scoring.errors import HupaiError
from hupai.vision.layout.weights import shipped_weights
from hupai.vision.pipeline.recogniser import Recogniser

HANDS_SEED = 31
"""Seed of the rendered hands that are mixed in for the layout weights."""

HANDS = 60
"""Number of these hands, and of rendered whole tables."""

GROUPING_PENALTY = 0.1
"""Weight of half the squared distance from the shipped grouping weights, fifty times the one used
to fit those. With a fifth of it, the few rendered hands that are mixed in were overfitted, and the
grouping of others got worse.
"""

OWN_SHARE = 0.3
"""Weight of the user's hands in that fit; the rest is that of the rendered ones."""

Say = Callable[[str], None]
"""Called with a description of each step."""


class FinetuneError(HupaiError, ValueError):
    """Data or settings with which training is impossible; nothing was changed."""


def classifier(
    shipped: Path, own: SetCrops, old: Path, run: Path, deep: tuple[int, int] | None
) -> None:
    """Train the classifier; write RUN/out/classifier.onnx.

    Boxes that people struck out as not a tile are used only if all layers are trained.

    Args:
        shipped: ONNX file to start from.
        own: crops of the new photos.
        old: file of crops of rendered scenes and earlier photos.
        run: the run's folder.
        deep: epochs, and crops per epoch, for training all layers before the last one is fitted;
            None to fit only the last layer.

    Raises:
        FinetuneError: none of the crops shows a tile.
    """
    if all(one == NONE for one in own.patches.classes):
        raise FinetuneError("no tile of the photos to train on is known by its place")
    out, start = run / "out" / "classifier.onnx", shipped
    if deep is not None:
        training: Any = import_module("hupai.models.training.continue_training")
        own.patches.save(run / "own.npz")
        epochs, per_epoch = deep
        amount = training.Amount(epochs=epochs, per_epoch=per_epoch)
        start = run / "classifier" / "deep.onnx"
        training.classifier(shipped, run / "own.npz", [old], run / "classifier", start, amount)
    with np.load(old) as stored:
        mixed = stored["patches"], stored["classes"]
    patches, classes, *_ = own.patches.arrays()
    # The few non-tiles all differ: they would shift the outputs for blank tiles and backs.
    tiles = classes != NONE
    chosen = patches[tiles], classes[tiles]
    last_layer.refit(start, chosen, mixed, out, last_layer.Settings())


def detector(
    shipped: Path,
    data: Path,
    names: frozenset[str],
    mix: Sequence[Path],
    scenes: Sequence[Path],
    run: Path,
    epochs: int,
) -> None:
    """Train the detector on some photos of a set; write RUN/out/detector.onnx.

    A photo on which some tile of the hand has no box is left out: the tile would count as
    background.

    Args:
        shipped: ONNX file to start from.
        data: the set.
        names: its photos to train on.
        mix: labelled folders that are mixed in.
        scenes: folders of rendered scenes that are mixed in.
        run: the run's folder.
        epochs: how often each picture is shown.

    Raises:
        FinetuneError: no photo is left.
    """
    whole = names & _boxed(data)
    if not whole:
        raise FinetuneError("no photo to train on has a box for every tile of its hand")
    own = run / "photos"
    shutil.rmtree(own, ignore_errors=True)
    write_pictures(data, whole, own)
    training: Any = import_module("hupai.models.training.continue_training")
    amount = training.DetectorAmount(epochs=epochs)
    out = run / "out" / "detector.onnx"
    training.detector(shipped, own, mix, scenes, run / "detector", out, amount)


def _boxed(data: Path) -> frozenset[str]:
    """Return the photos on which every tile of the hand has a box."""
    tiles = {
        Path(row["photo"]).stem: len(row["tiles"])
        for row in map(json.loads, (data / "hands.jsonl").read_text("utf-8").splitlines())
    }
    boxes = {
        file.stem: len(file.read_text("utf-8").splitlines())
        for file in (data / "labels").glob("*.txt")
    }
    return frozenset(name for name, count in tiles.items() if boxes.get(name, 0) >= count)


def layout(data: Path, names: frozenset[str], run: Path, version: str, say: Say) -> None:
    """Fit the weights that group the hand; write RUN/out/layout.json.

    The weights that select the tiles of the hand, and those of certainty, stay unchanged. Rendered
    hands and whole tables are mixed in.

    Raises:
        FinetuneError: no photo shows a hand whose groups are all known.
    """
    reader = Recogniser(registry.load(registry.DEFAULT))
    own = list(hands_of(own_cases(data, names, reader)))
    if not own:
        raise FinetuneError(
            "no photo to train on shows a hand that is read whole and whose groups are all known"
        )
    rendered = []
    for kind in (SceneKind.HANDS, SceneKind.TABLES):
        folder = run / kind
        if not (folder / "done").is_file():
            shutil.rmtree(folder, ignore_errors=True)
            say(f"rendering {HANDS} {kind} to mix in")
            generate(folder, HANDS, HANDS_SEED, kind)
            (folder / "done").write_text("")
        rendered += list(hands_of(scene_cases(folder, reader)))
    say(f"fitting the grouping to {len(own)} hands and {len(rendered)} rendered ones")
    start = shipped_weights()
    shares = [OWN_SHARE / len(own)] * len(own)
    shares += [(1 - OWN_SHARE) / max(len(rendered), 1)] * len(rendered)
    grouping = fit([*own, *rendered], GROUPING_PENALTY, start.grouping, shares)
    new = run / "out" / "layout.new"
    new.parent.mkdir(parents=True, exist_ok=True)
    replace(start, version=version, grouping=grouping).save(new)
    new.replace(run / "out" / "layout.json")
