"""Fine-tunes the shipped networks on a few new photos, with old data mixed in.

Called by `hupai.models.learning.finetune`, which prepares the data and evaluates the result. Each
step may be repeated after a kill: training resumes after the last complete epoch.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch

from hupai.models.training import cpu, export, quantise
from hupai.models.training.average_weights import average
from hupai.models.training.classifier import samples
from hupai.models.training.classifier.train import Recipe, train
from hupai.models.training.detector import prepare
from hupai.models.training.detector import train as detector_training
from hupai.models.training.onnx_checkpoint import convert, convert_classifier

PICTURES = 32
"""Maximum number of pictures on which the statistics of the detector's layers are measured."""


@dataclass(frozen=True, slots=True)
class Amount:
    """The amount of training of the classifier.

    Attributes:
        epochs: number of epochs.
        per_epoch: crops per epoch.
        own_share: share of them from the new photos.
        rate: peak learning rate; at most a third of that of a training from scratch.
    """

    epochs: int = 3
    per_epoch: int = 4000
    own_share: float = 0.4
    rate: float = 0.0006


def classifier(
    shipped: Path,
    own: Path,
    old: Sequence[Path],
    run: Path,
    out: Path,
    amount: Amount,
    threads: int | None = None,
) -> None:
    """Fine-tune all layers of the classifier and write it in 8 bits like the shipped one.

    On old crops the shipped classifier is the teacher, so that little is forgotten.

    Args:
        shipped: ONNX file to start from.
        own, old: crops of the new photos, and of rendered scenes or earlier photos.
        run: gets checkpoints.
        out: ONNX file to write.
        amount: how much to train.
        threads: threads of PyTorch; by default OMP_NUM_THREADS, or all cores if it is not set.
    """
    cpu.threads(threads)
    run.mkdir(parents=True, exist_ok=True)
    patches, _ = samples.sample([*old, own], quantise.CROPS)
    base = run / "base.pt"
    if not base.exists():
        convert_classifier(shipped, run / "base.new", patches)
        (run / "base.new").replace(base)
    recipe = Recipe(
        epochs=amount.epochs,
        per_epoch=amount.per_epoch,
        batch=64,
        real_share=0.0,
        rate=amount.rate,
        base=base,
        teacher=base,
        new_share=amount.own_share,
    )
    trained = train(run, old, [], [], recipe, resume=True, new=[own])
    for_inference(trained, patches, run, out)


def for_inference(trained: Path, patches: np.ndarray, run: Path, out: Path) -> None:
    """Write a trained classifier for inference, in 8 bits.

    Args:
        trained: checkpoint of `hupai.models.training.classifier.train`.
        patches: crops that give the limits of the activations.
        run: gets intermediate files.
        out: ONNX file to write.
    """
    plain = run / "plain.onnx"
    export.classifier(trained, plain)
    out.parent.mkdir(parents=True, exist_ok=True)
    quantise.classifier(plain, run / "classifier.onnx", patches)
    (run / "classifier.onnx").replace(out)


@dataclass(frozen=True, slots=True)
class DetectorAmount:
    """The amount of training of the detector.

    Attributes:
        epochs: number of epochs.
        rate: peak learning rate; a quarter of that of a training from scratch.
        frozen: number of first layers that are not trained.
        share: share of the trained weights in the mean with the shipped ones.
    """

    epochs: int = 3
    rate: float = 0.0005
    frozen: int = 5
    share: float = 0.7


def detector(
    shipped: Path,
    own: Path,
    photos: Sequence[Path],
    scenes: Sequence[Path],
    run: Path,
    out: Path,
    amount: DetectorAmount,
) -> None:
    """Fine-tune the detector and write it in 8 bits like the shipped one.

    Args:
        shipped: ONNX file to start from.
        own: pictures of the new photos with labels, as Ultralytics reads them.
        photos: labelled folders of earlier photos, which are mixed in.
        scenes: folders of rendered scenes, which are mixed in.
        run: gets data and checkpoints.
        out: ONNX file to write.
        amount: how much to train.
    """
    data = run / "data"
    if not (data / "data.yaml").exists():
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(own, data)
        prepare.prepare(data, scenes, photos)
    pictures = sorted((data / "images").glob("*.jpg"))
    base = run / "base.pt"
    if not base.exists():
        convert(shipped, run / "new-base.pt", _some(pictures, PICTURES))
        (run / "new-base.pt").replace(base)
    recipe = detector_training.Recipe(
        epochs=amount.epochs,
        batch=8,
        rate=amount.rate,
        base=str(base),
        mosaic=0.2,
        frozen=amount.frozen,
        # As in the candidate that the gate accepted, see docs/notebook/2026-11-learning.md.
        keep_statistics=True,
    )
    last = detector_training.train(data, run / "training", recipe, True, 0, cache=False)
    mean = average(base, last, run / "mean.pt", amount.share)
    out.parent.mkdir(parents=True, exist_ok=True)
    export.detector(mean, run / "plain.onnx", directions=shipped)
    some = _some(pictures, quantise.PICTURES)
    quantise.detector(run / "plain.onnx", run / "detector.onnx", some, like=shipped)
    (run / "detector.onnx").replace(out)


def _some(pictures: Sequence[Path], count: int) -> list[Path]:
    """Take at most `count` pictures, evenly spread."""
    return list(pictures[:: max(1, len(pictures) // count)][:count])


def versions() -> dict[str, str]:
    """Return the versions of the libraries used for training, for the model card."""
    return {"torch": torch.__version__, "onnx": onnx.__version__}
