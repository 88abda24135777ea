"""A tiny streamed training, from rendering to an exported network."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.synthetic.generate import Material, generate
from hupai.models.training.detector.quads import Outlines, read, write
from tests.models.training.plates import draw_plates

torch = pytest.importorskip(
    "torch", reason="the train extra is not installed: pip install .[train]"
)
pytest.importorskip("onnx", reason="the train extra is not installed: pip install .[train]")
from hupai.models import registry  # noqa: E402
from hupai.models.training.detector.axes import AxesDetector, axes_of  # noqa: E402
from hupai.models.training.detector.export_axes import export_axes, load  # noqa: E402
from hupai.models.training.detector.folding import folded, unfolded  # noqa: E402
from hupai.models.training.onnx_checkpoint import convert_with_directions  # noqa: E402
from hupai.models.training.stream import detector, produce, views  # noqa: E402
from hupai.models.training.stream.chunks import MOST_TILES, SIDE  # noqa: E402
from hupai.models.training.stream.pool import Pool  # noqa: E402
from hupai.models.training.stream.views import Stored, view  # noqa: E402
from hupai.vision.detection.onnx_session import open_network  # noqa: E402
from hupai.vision.detection.picture import Picture  # noqa: E402
from hupai.vision.detection.tile_detector import (  # noqa: E402
    DetectorNetwork,
    DetectorSettings,
    Letterbox,
)

pytestmark = pytest.mark.filterwarnings("default")


def one_tile(real: bool) -> Stored:
    """A picture of one red tile, 60 by 80 pixels, whose upper half is blue."""
    image = np.full((1, SIDE, SIDE, 3), 114, np.uint8)
    image[0, 280:360, 290:350] = (255, 0, 0)
    image[0, 280:320, 290:350] = (0, 0, 255)
    quads = np.zeros((1, MOST_TILES, 4, 2), np.float32)
    quads[0, 0] = [(290, 280), (350, 280), (350, 360), (290, 360)]
    classes = np.full((1, MOST_TILES), -1, np.int8)
    classes[0, 0] = 0
    return Stored(
        torch.from_numpy(image),
        torch.full((1, 2), float(SIDE)),
        torch.from_numpy(quads),
        torch.from_numpy(classes),
        torch.ones(1, MOST_TILES, dtype=torch.bool),
        torch.tensor([real]),
    )


@pytest.mark.parametrize("real", [True, False])
def test_tiles_move_with_their_view(real: bool) -> None:
    rng = torch.Generator().manual_seed(3)
    seen = 0
    for _ in range(12):
        found = view(one_tile(real), 320, rng)
        inside = found.quads[0, 0]
        if not ((inside > 2) & (inside < 318)).all():
            continue
        seen += 1
        for share, channel in ((0.25, 2), (0.75, 0)):
            top, bottom = inside[:2].mean(0), inside[2:].mean(0)
            x, y = (top + (bottom - top) * share).round().int().tolist()
            assert found.images[0, channel, y, x] > 0.8, "blue above, red below"
        targets = found.targets()
        assert targets["bboxes"].shape == (1, 4)
        if real:
            assert targets["axes"][0, [2, 5]].abs().max() < 1e-3, "photos are not turned"
    assert seen >= 6


@pytest.mark.parametrize("scale", [1.3, 0.4])
def test_views_on_a_cpu_are_sampled_where_the_matrix_says(scale: float) -> None:
    noise = np.random.default_rng(2).integers(0, 255, (SIDE, SIDE, 3)).astype(np.uint8)
    smooth = cv2.GaussianBlur(noise, (0, 0), 12)
    picture = cv2.normalize(smooth, None, 0, 255, cv2.NORM_MINMAX)  # type: ignore[call-overload]
    images = torch.from_numpy(np.ascontiguousarray(picture))[None]
    turn = 0.4
    rows = [[np.cos(turn), -0.8 * np.sin(turn)], [np.sin(turn), 0.8 * np.cos(turn)]]
    matrix, centre = torch.tensor([rows]).float() * scale, torch.tensor([[300.0, 340.0]])
    size = 192
    found = views.sampled_on_cpu(images, matrix, centre, size)
    assert found.shape == (1, 3, size, size)
    for x, y in ((96.5, 96.5), (60.5, 120.5), (150.5, 40.5)):
        offset = torch.linalg.solve(matrix[0], torch.tensor([x - size / 2, y - size / 2]))
        at = (centre[0] + offset - 0.5).round().int().tolist()
        wanted = picture[at[1], at[0]] / 255
        np.testing.assert_allclose(found[0, :, int(y), int(x)], wanted, atol=0.04)


def test_a_folded_network_computes_the_same_and_is_stored_in_the_usual_form() -> None:
    torch.manual_seed(4)
    network = AxesDetector()
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 2)
    images = torch.rand(1, 3, 64, 64)
    with torch.no_grad():
        wanted = network.eval()(images)[0]
        fast = folded(network)
        found = fast(images)[0]
        stored = AxesDetector()
        stored.load_state_dict(unfolded(fast.state_dict()))
        again = stored.eval()(images)[0]
    assert not any(isinstance(module, torch.nn.BatchNorm2d) for module in fast.modules())
    torch.testing.assert_close(found, wanted, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(again, wanted, atol=1e-3, rtol=1e-3)


def test_directions_do_not_depend_on_which_end_is_up() -> None:
    quads = torch.tensor([[[0.0, 0], [30, 10], [20, 60], [-10, 50]]])
    torch.testing.assert_close(axes_of(quads), axes_of(quads.roll(2, 1)))
    assert not torch.allclose(axes_of(quads), axes_of(quads.roll(1, 1)))


def test_outlines_are_read_as_written(tmp_path: Path) -> None:
    quads = np.random.default_rng(1).random((3, 4, 2)).astype(np.float32)
    tiles = Outlines(quads, np.array([0, 1, 0]), np.array([True, False, True]))
    write(tmp_path / "quads" / "a.txt", tiles)
    found = read(tmp_path / "quads" / "a.txt")
    np.testing.assert_allclose(found.quads, quads, atol=1e-5)
    assert found.classes.tolist() == [0, 1, 0]
    assert found.directed.tolist() == [True, False, True]
    assert len(read(tmp_path / "quads" / "none.txt").classes) == 0


def test_a_full_pool_replaces_rendered_pictures_and_keeps_photos() -> None:
    pool = Pool(5, torch.device("cpu"))
    pool.add({"kept": np.array([100, 101])}, real=True)
    for first in (0, 2, 4, 6):
        pool.add({"kept": np.array([first, first + 1])}, real=False)
    assert pool["kept"].tolist()[:2] == [100, 101]
    assert sorted(pool["kept"].tolist()[2:]) == [5, 6, 7]
    with pytest.raises(ValueError, match="capacity"):
        pool.add({"kept": np.array([102])}, real=True)


def rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> produce.Job:
    """Render a few scenes and start the worker that renders more."""
    faces = draw_plates(tmp_path / "faces")
    monkeypatch.setattr(produce, "SCENES", 6)
    monkeypatch.setattr(produce, "SIDES", (256,))
    job = produce.Job(tmp_path / "arriving", 0, 1, (str(faces),), (), None, 0.0, 3, 0.0)
    job.out.mkdir()
    produce.start(job)
    for turn in (0, 4):
        produce.write_scenes(job, tmp_path / f"scenes-{turn}", turn)
    return job


@pytest.mark.parametrize("fold", [False, True])
def test_a_tiny_streamed_training_resumes_and_gives_a_network_that_finds_directions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fold: bool
) -> None:
    job = rendered(tmp_path, monkeypatch)
    base = tmp_path / "base.pt"
    torch.save(AxesDetector().state_dict(), base)
    state = tmp_path / "run" / "last.pt"
    for seconds in (0.5, 1.0):
        recipe = detector.Recipe(seconds, 2, sizes=(128,), capacity=12, enough=6, fold=fold)
        weights = detector.train(job.out, tmp_path / "run", base, recipe, resume=True)
        assert torch.load(state, weights_only=False)["elapsed"] >= seconds
        produce.write_scenes(job, tmp_path / f"more-{seconds}", 0)
    export_axes(load(weights), tmp_path / "detector.onnx")
    settings = DetectorSettings(threshold=0.0, back=0.0)
    network = DetectorNetwork(open_network(tmp_path / "detector.onnx"), settings)
    found = network.find(Picture.of(np.full((96, 128, 3), 90, np.uint8)), width=20.0)
    assert found.half_axes is not None
    assert found.half_axes.shape == (len(found.boxes), 2, 2)
    assert len(found.boxes)


@pytest.mark.parametrize("part", ["head", "directions"])
def test_only_the_chosen_part_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    job = rendered(tmp_path, monkeypatch)
    before = AxesDetector().state_dict()
    torch.save(before, tmp_path / "base.pt")
    recipe = detector.Recipe(0.5, 2, sizes=(128,), capacity=12, enough=6, part=part)
    weights = detector.train(job.out, tmp_path / "run", tmp_path / "base.pt", recipe)
    after = torch.load(weights, weights_only=True)
    changed = [name for name, value in after.items() if not torch.equal(value, before[name])]
    assert changed
    assert all(detector.PARTS[part] in name for name in changed)


def test_frozen_layers_keep_their_weights_and_statistics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = rendered(tmp_path, monkeypatch)
    before = AxesDetector().state_dict()
    torch.save(before, tmp_path / "base.pt")
    recipe = detector.Recipe(0.5, 2, sizes=(128,), capacity=12, enough=6, frozen=4)
    weights = detector.train(job.out, tmp_path / "run", tmp_path / "base.pt", recipe)
    after = torch.load(weights, weights_only=True)
    layers = {
        int(name.split(".")[1])
        for name, value in after.items()
        if not torch.equal(value, before[name])
    }
    assert min(layers) == 4
    assert len(layers) > 10


def test_the_shipped_detector_keeps_its_directions_for_further_training(tmp_path: Path) -> None:
    shipped = registry.find(registry.DEFAULT).path("detector")
    material = Material((draw_plates(tmp_path / "faces"),), 0.0)
    generate(tmp_path / "scenes", 4, 3, side=256, material=material)
    pictures = sorted((tmp_path / "scenes" / "images").glob("*.jpg"))
    gap = convert_with_directions(shipped, tmp_path / "base.pt", pictures, size=256)
    # The file rounds activations to 8 bits, the checkpoint computes in single precision.
    assert gap < 0.1
    export_axes(load(tmp_path / "base.pt"), tmp_path / "detector.onnx")
    picture = cv2.imread(str(pictures[0]))
    assert picture is not None
    image = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype(np.uint8)
    pixels = Letterbox.of(Picture.of(image), 256).pixels
    best = []
    for file in (tmp_path / "detector.onnx", shipped):
        (found,) = open_network(file).run(None, {"images": pixels})
        best.append(found[0, :, found[0, 4].argmax()])
    np.testing.assert_allclose(best[0][:4], best[1][:4], atol=3)
    np.testing.assert_allclose(best[0][6:], best[1][6:], atol=0.1)
