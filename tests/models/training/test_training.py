"""A tiny epoch of each stage, where the train extra is installed."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.synthetic.generate import Material, generate
from hupai.models import registry
from hupai.scoring.tiles import Tile
from hupai.vision.detection.families import FAMILIES
from tests.models.training.plates import draw_plates

torch = pytest.importorskip(
    "torch", reason="the train extra is not installed: pip install .[train]"
)
onnx = pytest.importorskip("onnx", reason="the train extra is not installed: pip install .[train]")
from hupai.models.training import average_weights, cpu, onnx_checkpoint  # noqa: E402
from hupai.models.training.classifier import augment  # noqa: E402
from hupai.models.training.classifier import train as classifier  # noqa: E402
from hupai.models.training.classifier.crops import PATCH, from_scenes, upright_crops  # noqa: E402
from hupai.models.training.classifier.network import (  # noqa: E402
    CLASSES,
    INPUT,
    CropClassifier,
    from_file,
)
from hupai.models.training.detector import train as detector  # noqa: E402
from hupai.models.training.detector.prepare import prepare  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def scenes(tmp_path: Path) -> Path:
    """Twelve small rendered scenes of a set of numbers on plates."""

    faces = draw_plates(tmp_path / "faces")
    generate(tmp_path / "scenes", 12, 3, side=256, material=Material((faces,), 0.0))
    return tmp_path / "scenes"


def test_a_tiny_epoch_of_the_detector_gives_weights_that_load(scenes: Path, tmp_path: Path) -> None:

    prepare(tmp_path / "data", [scenes], [], None, 1, 256)
    last = detector.train(
        tmp_path / "data",
        tmp_path / "run",
        detector.Recipe(size=128, epochs=1, batch=4),
        workers=0,
        cache=False,
    )
    assert last.exists()
    assert set(torch.load(last, weights_only=False)) >= {"ema", "epoch"}


def test_a_tiny_training_of_the_classifier_resumes_where_it_stopped(
    scenes: Path, tmp_path: Path
) -> None:

    file = tmp_path / "patches.npz"
    found = from_scenes(scenes)
    found.save(file)
    assert len(found.patches) == len(found.classes) == len(found.axes) > 20
    for epochs in (1, 2):
        classifier.train(
            tmp_path / "run",
            [file],
            [],
            [file],
            classifier.Recipe(epochs=epochs, per_epoch=64, batch=16, focus=0.5),
            resume=True,
        )
    history = json.loads((tmp_path / "run" / "history.json").read_text())
    assert [row["epoch"] for row in history] == [0, 1]
    assert all(np.isfinite(row["loss"]) for row in history)
    assert all(len(row["class_losses"]) == CLASSES for row in history)


def test_faces_with_a_high_loss_are_drawn_more_often_and_backs_as_before() -> None:
    losses = np.full(CLASSES, 0.5)
    losses[[1, 2]], losses[3], losses[Tile.BACK] = 2.0, np.nan, 9.0
    factors = classifier.class_factors(losses, focus=0.5)
    assert factors[1] == factors[2] == pytest.approx(2 * factors[0])
    assert factors[3] == factors[Tile.BACK] == factors[-1] == 1
    assert (classifier.class_factors(losses, focus=0.0) == 1).all()
    assert classifier.class_factors(losses * [1e9, *[1] * 43], 1.0)[0] == classifier.MAX_FACTOR


def test_the_mean_of_two_detectors_lies_between_them(tmp_path: Path) -> None:

    layer = torch.nn.Linear(2, 1)
    for name, value in (("before", 1.0), ("after", 3.0)):
        torch.nn.init.constant_(layer.weight, value)
        torch.save({"model": layer, "ema": None, "epoch": value}, tmp_path / name)
    mean = torch.load(
        average_weights.average(tmp_path / "before", tmp_path / "after", tmp_path / "mean"),
        weights_only=False,
    )
    assert mean["model"].weight.tolist() == [[2.0, 2.0]]
    assert mean["epoch"] == 3.0
    quarter = torch.load(
        average_weights.average(tmp_path / "before", tmp_path / "after", tmp_path / "less", 0.25),
        weights_only=False,
    )
    assert quarter["model"].weight.tolist() == [[1.5, 1.5]]


def test_the_mean_of_two_classifiers_lies_between_them(tmp_path: Path) -> None:

    for name, value in (("before", 1.0), ("after", 3.0)):
        network = CropClassifier()
        torch.nn.init.constant_(network.head.weight, value)
        torch.save(network.state_dict(), tmp_path / name)
    mean = torch.load(
        average_weights.average(tmp_path / "before", tmp_path / "after", tmp_path / "mean"),
        weights_only=True,
    )
    CropClassifier().load_state_dict(mean)
    assert mean["head.weight"].unique().tolist() == [2.0]


def test_motion_blur_smears_a_crop_along_a_line_and_keeps_its_brightness() -> None:

    sharp = torch.zeros(32, 3, 41, 41)
    sharp[:, :, 20, 20] = 1
    rng = torch.Generator().manual_seed(2)
    assert torch.equal(augment.motion_blur(sharp, rng, share=0.0), sharp)
    smeared = augment.motion_blur(sharp, rng, share=1.0, most=9)
    assert torch.allclose(smeared.sum((2, 3)), torch.ones(32, 3), atol=1e-5)
    rows, columns = smeared[:, 0].amax(2) > 0, smeared[:, 0].amax(1) > 0
    length = torch.maximum(rows.sum(1), columns.sum(1))
    assert 2 <= int(length.min()) <= int(length.max()) <= 9
    assert 4 <= len({tuple(crop.flatten().tolist()) for crop in smeared[:, 0]}) < 32, (
        "eight crops share a line"
    )


def test_training_turns_tiles_upright_as_inference_does() -> None:
    axes = np.array([0.3, 1.2, 2.0, np.nan], np.float32)
    noise = np.random.default_rng(5).integers(0, 256, (4, 12, 12, 3), np.uint8)
    patches = np.stack([cv2.resize(one, (PATCH, PATCH)) for one in noise]).astype(np.uint8)
    pixels = torch.from_numpy(patches).permute(0, 3, 1, 2).float() / 255
    rng = torch.Generator().manual_seed(3)
    cut, turned = augment.warp(pixels, torch.from_numpy(axes), rng, train=False, upright=True)
    seen = upright_crops(patches, axes, INPUT)
    inner = slice(8, -8)  # beyond the patch, inference sees grey
    assert np.abs(cut.numpy() - seen)[:, :, inner, inner].mean() < 0.02
    assert turned[:3].tolist() == pytest.approx([math.pi / 2] * 3)
    many = torch.from_numpy(axes[:3]).repeat(200)
    _, turned = augment.warp(pixels[:3].repeat(200, 1, 1, 1), many, rng, train=True, upright=True)
    off = (turned + math.pi) % math.pi - math.pi / 2
    assert float(off.abs().median()) < 0.15, "upright or upside down, but for small errors"
    assert 0.4 < float((turned < 0).float().mean()) < 0.6


def test_shipped_weights_become_an_equivalent_checkpoint(scenes: Path, tmp_path: Path) -> None:

    weights = registry.FOLDER / "weights" / "default-detector.onnx"
    pictures = sorted((scenes / "images").glob("*.jpg"))
    checkpoint = tmp_path / "shipped.pt"
    # The file rounds activations to 8 bits, the checkpoint computes in single precision.
    assert onnx_checkpoint.convert(weights, checkpoint, pictures, size=256) < 0.1
    network = torch.load(checkpoint, weights_only=False)["model"]
    assert network.names == {0: "tile", 1: "back"}
    norms = [m for m in network.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    assert (
        max(float(n.running_var.max()) for n in norms)
        > 2
        > 0.5
        > min(float(n.running_var.min()) for n in norms)
    )

    prepare(tmp_path / "data", [scenes], [], None, 1, 256)
    last = detector.train(
        tmp_path / "data",
        tmp_path / "run",
        detector.Recipe(128, 1, 4, 1e-6, str(checkpoint)),
        workers=0,
        cache=False,
    )
    trained = torch.load(last, weights_only=False)
    after = (trained["ema"] or trained["model"]).float().state_dict()
    first = network.float().state_dict()["model.0.conv.weight"]
    assert float((after["model.0.conv.weight"] - first).abs().max()) < 0.01 * float(
        first.abs().max()
    ), "went on from there"
    with pytest.raises(ValueError, match="needs pictures"):
        onnx_checkpoint.convert(weights, checkpoint, [])
    with pytest.raises(ValueError, match="no weights for"):
        onnx_checkpoint.convert(weights, checkpoint, pictures, base="yolov8s.yaml")


def test_a_shipped_classifier_becomes_an_equivalent_trainable_checkpoint(
    scenes: Path, tmp_path: Path
) -> None:

    weights = registry.FOLDER / "weights" / "default-classifier.onnx"
    found = from_scenes(scenes)
    patches = found.arrays()[0]
    checkpoint = tmp_path / "shipped.pt"
    # Rounding activations to 8 bits moves single logits by more than 1, and is no part of it.
    assert onnx_checkpoint.convert_classifier(weights, checkpoint, patches) < 0.001
    first = torch.load(checkpoint, weights_only=True)
    variances = torch.cat([v for k, v in first.items() if k.endswith("running_var")])
    assert float(variances.max()) > 2 * float(variances.min()) > 0, "measured, not left at one"

    found.save(tmp_path / "patches.npz")
    recipe = classifier.Recipe(epochs=1, per_epoch=32, batch=16, rate=1e-6, base=checkpoint)
    after = torch.load(
        classifier.train(tmp_path / "run", [tmp_path / "patches.npz"], [], [], recipe),
        weights_only=True,
    )
    assert float((after["head.weight"] - first["head.weight"]).abs().max()) < 0.01 * float(
        first["head.weight"].abs().max()
    )
    with pytest.raises(ValueError, match="needs crops"):
        onnx_checkpoint.convert_classifier(weights, checkpoint, patches[:0])
    with pytest.raises(ValueError, match="convolutions where"):
        onnx_checkpoint.convert_classifier(
            registry.FOLDER / "weights" / "default-detector.onnx", checkpoint, patches
        )


def test_the_network_of_a_family_becomes_an_equivalent_checkpoint(
    scenes: Path, tmp_path: Path
) -> None:
    patches = from_scenes(scenes).arrays()[0]
    for family in FAMILIES:
        weights = registry.FOLDER / "weights" / f"default-{family}.onnx"
        checkpoint = tmp_path / f"{family}.pt"
        assert onnx_checkpoint.convert_classifier(weights, checkpoint, patches) < 0.001
        assert from_file(checkpoint).head.out_features > len(FAMILIES[family].tiles)


def test_arithmetic_can_be_chosen_while_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "_cpu_has_bf16", lambda: True)
    cpu._saves_time.cache_clear()
    with torch.inference_mode():
        cpu.autocast()
    cpu._saves_time.cache_clear()


def test_a_teacher_is_followed_on_old_patches_and_labels_on_new_ones(tmp_path: Path) -> None:

    torch.manual_seed(4)
    teacher = CropClassifier()
    torch.nn.init.zeros_(teacher.head.weight)
    torch.nn.init.zeros_(teacher.head.bias)
    teacher.head.bias.data[7] = 12.0  # says 7 of everything
    torch.save(teacher.state_dict(), tmp_path / "teacher.pt")
    rng = np.random.default_rng(1)
    for name, level, label in (("old", 40, 3), ("new", 215, 5)):
        patches = rng.integers(level - 30, level + 30, (48, PATCH, PATCH, 3)).astype(np.uint8)
        axes = np.full(48, np.nan, np.float32)
        np.savez(tmp_path / name, patches=patches, classes=np.full(48, label), axes=axes)
    classifier.train(
        tmp_path / "run",
        [tmp_path / "old.npz"],
        [],
        [],
        classifier.Recipe(
            epochs=1, per_epoch=640, batch=16, teacher=tmp_path / "teacher.pt", new_share=0.5
        ),
        new=[tmp_path / "new.npz"],
    )
    network = CropClassifier()
    network.load_state_dict(torch.load(tmp_path / "run" / "classifier.pt", weights_only=True))
    for name, wanted in (("old", 7), ("new", 5)):
        patches = np.load(tmp_path / f"{name}.npz")["patches"]
        named = classifier.accuracy(network, patches, np.full(48, wanted))
        assert named[0] > 0.9, (name, np.bincount(named[1]))


@pytest.mark.parametrize(
    ("has_it", "half", "full", "used"),
    [(True, 1.0, 2.0, True), (True, 2.0, 1.0, False), (False, 1.0, 2.0, False)],
)
def test_a_cpu_trains_in_half_precision_only_where_that_is_faster(
    monkeypatch: pytest.MonkeyPatch, has_it: bool, half: float, full: float, used: bool
) -> None:
    seconds = {True: half, False: full}
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(cpu, "_cpu_has_bf16", lambda: has_it)
    monkeypatch.setattr(cpu, "_step_seconds", lambda half: seconds[half])
    cpu._saves_time.cache_clear()
    with cpu.autocast():
        assert torch.is_autocast_enabled("cpu") is used
    cpu._saves_time.cache_clear()


def test_a_convolution_is_timed_in_both_precisions() -> None:
    start = time.perf_counter()
    half, full = cpu._step_seconds(half=True), cpu._step_seconds(half=False)
    passed = time.perf_counter() - start
    assert 0 < half < passed
    assert 0 < full < passed
