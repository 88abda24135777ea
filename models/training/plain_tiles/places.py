"""Training views of the detector's boxes, each with its true kind.

    python -m hupai.models.training.plain_tiles.places OUT.npz --scenes DIR [--count 1000]
    python -m hupai.models.training.plain_tiles.places OUT.npz --photos DIR [--copies 2]
    python -m hupai.models.training.plain_tiles.places OUT.npz --marked DIR [--copies 4]

Tiles of scenes and of labelled photos are painted over with backs of many materials and blank faces
(`hupai.models.training.classifier.repaint`); rendered whole tables (``--plain-share 1``) stay as
they are. A place is a box of the shipped detector, or the box of a tile that it misses. The marked
places of photos are real backs, clutter, and the ground beside labelled tiles.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from hupai.datasets.real.patches import Places as Marks
from hupai.datasets.real.patches import clutter_places
from hupai.models import registry
from hupai.models.evaluation.labelled_folder import LabelledPhoto, public_split, read_folder
from hupai.models.training.classifier.crops import LEAST_VISIBLE
from hupai.models.training.classifier.hard_negatives import labelled
from hupai.models.training.classifier.painted import photo_views
from hupai.models.training.classifier.repaint import Shares, repaint
from hupai.models.training.classifier.scene_views import SceneView, scene_views
from hupai.scoring.tiles import Tile
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.classifier import (
    BACK,
    BLANK,
    FACE,
    NEAR,
    NOTHING,
    WIDE,
    cut_views,
)
from hupai.vision.detection.tile_classifier import TileClassifier
from hupai.vision.detection.tile_detector import DetectorNetwork
from hupai.vision.geometry.boxes import areas, centres, clipped, intersections, sizes
from hupai.vision.numeric import softmax
from hupai.vision.types import Image

SIDE = 60
"""Side of a stored view, pixels."""

ROOM = 1.25
"""Sides of stored views in those that the network sees: room for shifts in training."""

_SMALLEST = 10
"""Minimum longer side of a box, pixels."""

_MOST = {FACE: 5, BLANK: 8, BACK: 14, NOTHING: 8}
"""Maximum number of places of each kind per picture."""

_EDGE_NOISE = 0.04
"""Standard deviation of the edges of a missed tile's box, in sides."""

_BESIDE = (1.02, 1.25)
"""Range of the distance of a place on the ground from the tile beside it, in sides of the tile."""

_GROUND = 3
"""Maximum number of places on the ground beside the labelled tiles of a photo."""

_MARKED_NOISE = 0.06
"""Standard deviation of the edges of a copy of a marked place, in sides."""

_SURELY_EMPTY = 0.95
"""Minimum probability of no tile, by the shipped classifier, to keep an unlabelled box."""

_PROBABLY_EMPTY = 0.5
"""Minimum probability of no tile, by the shipped classifier, to keep a place beside a tile."""

_NO_MARKS = Marks(clutter=())


class Places:
    """A growing collection of views and kinds of places."""

    def __init__(self) -> None:
        self.views: list[NDArray[np.uint8]] = []
        self.kinds: list[int] = []
        self.pictures: list[int] = []
        self.picture = 0

    def add(self, image: Image, box: NDArray[np.floating], kind: int) -> None:
        """Cut the views of a place."""
        if (box[2:] - box[:2]).max() < _SMALLEST:
            return
        room = (NEAR * ROOM, WIDE * ROOM)
        views = cut_views(Picture.of(image), box[None], SIDE, room)
        self.views.append(np.concatenate(views, axis=3)[0])
        self.kinds.append(kind)
        self.pictures.append(self.picture)

    def save(self, out: Path) -> None:
        """Write views (n, SIDE, SIDE, 6), kinds (n,) and pictures (n,) as OUT.npz."""
        out.parent.mkdir(parents=True, exist_ok=True)
        kinds = np.array(self.kinds, np.int16)
        pictures = np.array(self.pictures, np.int32)
        np.savez(out, views=np.array(self.views, np.uint8), kinds=kinds, pictures=pictures)
        print(f"{len(kinds)} places: {np.bincount(kinds, minlength=4).tolist()}")


def add_from(
    view: SceneView,
    network: DetectorNetwork,
    rng: np.random.Generator,
    places: Places,
    names: TileClassifier | None = None,
) -> None:
    """Add the boxes of a detector on a view, and the tiles that it misses.

    Args:
        view: the picture and its tiles.
        network: the detector.
        rng: samples among the boxes.
        places: the collection to add to.
        names: classifier for pictures with unlabelled tiles: of the boxes without a labelled tile,
            only those that it classifies as no tile are kept.
    """
    places.picture += 1
    photo = Picture.of(view.image)
    found = network.find(photo)
    named = np.array([tile.visible >= LEAST_VISIBLE for tile in view.tiles], bool)
    boxes = np.asarray(found.boxes, np.float64)
    shown, sure = labelled(boxes, view.quads, named)
    missed = np.setdiff1d(np.nonzero(named)[0], shown)
    if len(missed):
        own = view.boxes[missed]
        noise = rng.normal(0, _EDGE_NOISE, own.shape) * np.tile(sizes(own), 2)
        sure = np.concatenate([sure, np.arange(len(boxes), len(boxes) + len(missed))])
        boxes, shown = np.concatenate([boxes, own + noise]), np.concatenate([shown, missed])
    kinds = np.array([kind_of(view.tiles[k].shown) if k >= 0 else NOTHING for k in shown], int)
    for kind, most in _MOST.items():
        chosen = rng.permutation(sure[kinds[sure] == kind])
        if kind == NOTHING and names is not None and len(chosen):
            some = boxes[chosen].astype(np.float32)
            empty = softmax(names.classify(photo, some, again=False).logits)[:, -1]
            chosen = chosen[empty > _SURELY_EMPTY]
        for k in chosen[:most].tolist():
            places.add(view.image, boxes[k], kind)


def add_marked(
    photo: LabelledPhoto,
    marks: Marks,
    names: TileClassifier,
    rng: np.random.Generator,
    places: Places,
) -> None:
    """Add the marked places of a photo, each with edges moved a little, and ground beside tiles.

    Args:
        photo: the photo; nothing is added if its picture cannot be read.
        marks: its unlabelled places.
        names: classifier; ground is what it finds no tile in.
        rng: draws the edges and the ground.
        places: the collection to add to.
    """
    picture = cv2.imread(str(photo.path))
    if picture is None:
        return
    image = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype(np.uint8)
    size = np.tile(image.shape[1::-1], 2)
    places.picture += 1
    for kind, marked in ((NOTHING, marks.clutter), (BACK, marks.backs)):
        for place in marked:
            box = np.array(place) * size
            noise = rng.normal(0, _MARKED_NOISE, 4) * np.tile(box[2:] - box[:2], 2)
            places.add(image, clipped((box + noise)[None], *size[:2])[0], kind)
    tiles = np.array([*photo.boxes, *marks.unlabelled_tiles, *marks.backs]).reshape(-1, 4) * size
    ground = _beside(photo.boxes * size, tiles, size[:2], rng)
    if len(ground):
        answer = names.classify(Picture.of(image), ground.astype(np.float32), again=False)
        empty = softmax(answer.logits)[:, -1] > _PROBABLY_EMPTY
        for box in rng.permutation(ground[empty])[:_GROUND]:
            places.add(image, box, NOTHING)


def _beside(
    boxes: NDArray[np.floating],
    tiles: NDArray[np.floating],
    size: NDArray[np.integer],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return places (n, 4) of a tile's size beside boxes (k, 4) that touch no tile (m, 4)."""
    sides = boxes[:, 2:] - boxes[:, :2]
    step = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])[rng.integers(4, size=len(boxes))]
    middle = centres(boxes) + step * sides * rng.uniform(*_BESIDE, (len(boxes), 1))
    whole = np.concatenate([middle - sides / 2, middle + sides / 2], 1)
    found = clipped(whole, *size)
    free = intersections(found, tiles).max(1, initial=0) < 0.05 * areas(whole)
    return np.asarray(found[free & (areas(found) > 0.45 * areas(whole))], np.float64)


def kind_of(shown: str) -> int:
    """Return the kind of a tile from the code of its face."""
    if shown == Tile.BACK.code:
        return BACK
    return BLANK if shown == Tile.WHITE.code else FACE


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--scenes", type=Path)
    source.add_argument("--photos", type=Path)
    source.add_argument("--marked", type=Path)
    parser.add_argument("--model", default=registry.DEFAULT, help="whose detector, name or folder")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--copies", type=int, default=1, help="paintings of each picture")
    parser.add_argument("--plain-share", type=float, default=0.15, help="left unpainted")
    parser.add_argument("--seed", type=int, default=11)
    a = parser.parse_args()
    entry = registry.find(a.model)
    network = DetectorNetwork(open_network(entry.path("detector"), 1), entry.settings)
    names = TileClassifier(open_network(entry.path("classifier"), 1), entry.settings)
    rng = np.random.default_rng(a.seed)
    places = Places()
    for _ in range(a.copies):
        if a.marked:
            split = public_split(a.marked)
            marks = {} if split is None else clutter_places(split)
            for photo in track(read_folder(a.marked), description=a.marked.name):
                if photo.boxed and len(photo.boxes):
                    add_marked(photo, marks.get(photo.path.stem, _NO_MARKS), names, rng, places)
            continue
        views = (
            scene_views(a.scenes, rng, (480, 1200), a.first, a.count)
            if a.scenes
            else photo_views(a.photos)
        )
        for taken in views:
            view = taken
            if len(view.quads) and rng.random() >= a.plain_share:
                view = repaint(view, rng, Shares(red=0.0, tiles=0.3)).view
            add_from(view, network, rng, places, None if a.scenes else names)
    places.save(a.out)


if __name__ == "__main__":
    main()
