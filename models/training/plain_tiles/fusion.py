"""Fits the weights by which detector, crop classifier and plain-tile network are combined.

    python -m hupai.models.training.plain_tiles.fusion --scenes DIR --photos DIR --model FOLDER

A multinomial logistic regression over the kinds of boxes, on scenes that the network was not
trained on, an eighth of the photos, and the marked places of photos. The weights are stored in the
metadata of the model's plain-tile network.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from scipy.optimize import minimize

from hupai.datasets.real.patches import Places, clutter_places
from hupai.datasets.synthetic.truth import TruthTile
from hupai.models import registry
from hupai.models.evaluation.labelled_folder import public_split
from hupai.models.registry_writer import write_entry
from hupai.models.training.classifier.crops import LEAST_VISIBLE
from hupai.models.training.classifier.hard_negatives import labelled
from hupai.models.training.classifier.painted import photos_and_views
from hupai.models.training.classifier.repaint import Shares, repaint
from hupai.models.training.classifier.scene_views import SceneView, scene_views
from hupai.models.training.plain_tiles.places import kind_of
from hupai.scoring.tiles import Tile
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles import classifier as plain
from hupai.vision.detection.plain_tiles import fusion
from hupai.vision.detection.plain_tiles.body_colour import body_distances
from hupai.vision.detection.tile_classifier import TileClassifier
from hupai.vision.detection.tile_detector import DetectorNetwork
from hupai.vision.geometry.boxes import areas, intersections
from hupai.vision.numeric import softmax

UNSEEN_BACKS = 0.25
"""Share of the backs that get the classifier's answer for some face instead of their own. All backs
of the fit have designs that the classifier was trained on; it mistakes many new designs for a face.
"""

Case = tuple[NDArray[np.float32], NDArray[np.float32], float, float, NDArray[np.float32], int]
"""Shares by the classifier, kinds by the network, share of backs, score, distances from the body
colour of faces, and the true kind.
"""


def cases(
    view: SceneView,
    detector: DetectorNetwork,
    classifier: TileClassifier,
    network: plain.PlainTileClassifier,
    empty: NDArray[np.floating] | None,
) -> Iterator[Case]:
    """Yield the features and true kinds of the examined boxes of a view.

    Args:
        view: the picture.
        detector, classifier, network: of the weights that the fusion is for.
        empty: places without a tile, (n, 4), pixels: other boxes without a labelled tile are left
            out. None if all tiles of the picture are labelled.
    """
    photo = Picture.of(view.image)
    found = detector.find(photo)
    if not len(found.boxes):
        return
    boxes, scores, backs = found.boxes, found.scores, found.backs
    shares = softmax(classifier.classify(photo, boxes).logits)
    named = np.array([tile.visible >= LEAST_VISIBLE for tile in view.tiles], bool)
    shown, sure = labelled(boxes, view.quads, named)
    distances = body_distances(photo, boxes, shares)
    look = fusion.without_clear_ink(shares, backs, distances)
    sure = sure[look[sure]]
    kinds = network.kinds(photo, boxes[sure])
    for k, kind in zip(sure.tolist(), kinds, strict=True):
        true = plain.NOTHING if shown[k] < 0 else kind_of(view.tiles[shown[k]].shown)
        if true != plain.NOTHING or empty is None or _covers(boxes[k], empty):
            yield shares[k], kind, float(backs[k]), float(scores[k]), distances[k], true


def _covers(box: NDArray[np.floating], places: NDArray[np.floating]) -> bool:
    """Return whether one of the places (n, 4) and a box (4,) cover more than half of each other."""
    shared = intersections(box[None], places.astype(box.dtype))[0]
    return bool((shared > 0.5 * np.maximum(areas(places), areas(box[None]))).any())


def with_marks(view: SceneView, marks: Places) -> tuple[SceneView, NDArray[np.float64]]:
    """Return the view of a photo with its marked backs among its tiles, and its marked clutter.

    Returns:
        The view, and the places (n, 4) that hold no tile, pixels.
    """
    size = np.tile(view.image.shape[1::-1], 2)
    x0, y0, x1, y1 = (np.array(marks.backs).reshape(-1, 4) * size).T
    quads = np.stack([x0, y0, x1, y0, x1, y1, x0, y1], 1)
    code = Tile.BACK.code
    backs = tuple(TruthTile(code, code, quad.tolist(), 1.0) for quad in quads)
    outlines = np.concatenate([view.quads, quads.reshape(-1, 4, 2)])
    clutter = np.array(marks.clutter).reshape(-1, 4) * size
    return SceneView(view.image, view.tiles + backs, outlines), clutter


def fit(every: list[Case], penalty: float = 1e-3) -> tuple[NDArray[np.float64], float]:
    """Return the weights (features,) and their accuracy."""
    shares, *others, y = (np.array([case[k] for case in every]) for k in range(6))
    rng = np.random.default_rng(18)
    unseen = np.nonzero((y == plain.BACK) & (rng.random(len(y)) < UNSEEN_BACKS))[0]
    if (y == plain.FACE).any():
        shares[unseen] = shares[rng.choice(np.nonzero(y == plain.FACE)[0], len(unseen))]
    x = fusion.evidence(shares, *others)
    weight = 1 / np.bincount(y, minlength=4)[y]
    weight /= weight.sum()

    def loss(w: NDArray[np.float64]) -> float:
        logits = x @ w
        logits -= logits.max(1, keepdims=True)
        logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
        return float(-(weight * logs[np.arange(len(y)), y]).sum() + penalty * (w**2).sum())

    w = minimize(loss, np.full(x.shape[2], 0.3)).x
    right = (x @ w).argmax(1) == y
    for kind in range(4):
        print(f"kind {kind}: {right[y == kind].mean():.3f} of {(y == kind).sum()}")
    return w, float((weight * right).sum())


def write(network: Path, weights: NDArray[np.float64]) -> None:
    """Write weights into the metadata of a plain-tile network, replacing existing ones."""
    model = onnx.load(network)
    kept = {entry.key: entry.value for entry in model.metadata_props} | {
        plain.FUSION: json.dumps([round(float(w), 4) for w in weights])
    }
    onnx.helper.set_model_props(model, kept)
    onnx.save(model, network)


def _painted(view: SceneView, rng: np.random.Generator) -> SceneView:
    """Return a view whose tiles are repainted, or left as they are in three of ten."""
    return view if rng.random() < 0.3 else repaint(view, rng, Shares(red=0.0)).view


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenes", type=Path, nargs="+", required=True)
    parser.add_argument("--photos", type=Path, nargs="*", default=[])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--model", default=registry.DEFAULT, help="name, or folder of a training")
    parser.add_argument("--version", help="of the weights that come out; as before without it")
    parser.add_argument("--dry", action="store_true", help="print the weights, write nothing")
    a = parser.parse_args()
    entry = registry.find(a.model)
    networks = (
        DetectorNetwork(open_network(entry.path("detector"), 1), entry.settings),
        TileClassifier(open_network(entry.path("classifier"), 1), entry.settings),
        plain.PlainTileClassifier(open_network(entry.path("plain"), 1)),
    )
    rng = np.random.default_rng(17)
    every: list[Case] = []
    for one in a.scenes:
        for view in scene_views(one, rng, (600, 1200), a.first, a.count):
            every += cases(_painted(view, rng), *networks, None)
    nothing = np.zeros((0, 4))
    for folder in a.photos:
        split = public_split(folder)
        marks = {} if split is None else clutter_places(split)
        for number, (photo, view) in enumerate(photos_and_views(folder)):
            if photo.path.stem in marks:
                marked, empty = with_marks(view, marks[photo.path.stem])
                every += cases(marked, *networks, empty)
            if number % 8 == 0:
                every += cases(_painted(view, rng), *networks, nothing)
    weights, accuracy = fit(every)
    print([round(float(w), 3) for w in weights], f"{accuracy:.3f}, {len(every)} places")
    if not a.dry:
        files = {role: entry.path(role) for role in entry.roles}
        write(files["plain"], weights)
        version = a.version or entry.version
        write_entry(entry.folder, entry.name, version, files, entry.settings, entry.about)


if __name__ == "__main__":
    main()
