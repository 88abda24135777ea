"""The second detector pass on a rectified view, and mapping its detections back to the photo."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.datasets.synthetic.layout.footprints import corners as footprint
from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.classifier import BLANK, NOTHING, PlainTileClassifier
from hupai.vision.detection.rectified.view import RectifiedView, on_photo
from hupai.vision.detection.tile_detector import BoxDetections
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.geometry.table_plane import table_plane
from hupai.vision.quads import quads_of
from hupai.vision.types import Detections, FloatArray, Image
from tests.vision.cameras import ROW as ROW_TILES
from tests.vision.cameras import SHAPE, photo
from tests.vision.detection.networks import INFO, SETTINGS, Backs, GivenBoxes, GivenKinds
from tests.vision.pictures import row_boxes

ROW = 14
ANGLES = [(50, 20, 0), (35, -40, 5), (30, 10, 90), (25, 120, 30)]


def empty() -> Image:
    return np.full((960, 1280, 3), 200, np.uint8)


def table() -> Picture:
    return Picture.of(empty())


def seen(
    elevation: float, azimuth: float = 0.0, roll: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    boxes, axes, _ = photo(elevation, azimuth, roll)
    return boxes.astype(np.float32), axes.astype(np.float32)


def centres(boxes: FloatArray) -> FloatArray:
    out: FloatArray = ((boxes[:, :2] + boxes[:, 2:]) / 2).astype(np.float32)
    return out


def forward(view: RectifiedView, points: FloatArray) -> FloatArray:
    there = np.column_stack([points, np.ones(len(points))]) @ view.forward.T
    out: FloatArray = (there[:, :2] / there[:, 2:]).astype(np.float32)
    return out


@pytest.mark.parametrize(("elevation", "azimuth", "roll"), ANGLES)
def test_the_homography_is_the_plane(elevation: float, azimuth: float, roll: float) -> None:
    boxes, axes, _ = photo(elevation, azimuth, roll)
    plane = table_plane(boxes, axes, (1280, 960))
    points = np.array([[600.0, 500.0], [420.0, 610.0], [800.0, 450.0]])
    there = np.column_stack([points, np.ones(3)]) @ plane.homography.T
    assert there[:, 2].min() > 0
    np.testing.assert_allclose(
        there[:, :2] / there[:, 2:], plane.on_table(points), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize(("elevation", "azimuth", "roll"), ANGLES)
def test_a_row_runs_along_an_edge_with_tiles_of_one_size(
    elevation: float, azimuth: float, roll: float
) -> None:
    boxes, axes = seen(elevation, azimuth, roll)
    view = RectifiedView.of(table(), boxes, axes)
    assert view is not None
    places = forward(view, centres(boxes[:ROW]))
    steps = np.abs(np.diff(places, axis=0))
    along = steps.sum(0).argmax()
    assert steps[:, 1 - along].max() < 0.12 * steps[:, along].mean()
    assert steps[:, along].std() < 0.06 * steps[:, along].mean()
    assert ((places >= 0) & (places < view.picture.size)).all()


@pytest.mark.parametrize(("elevation", "azimuth", "roll"), ANGLES)
def test_boxes_and_axes_come_back(elevation: float, azimuth: float, roll: float) -> None:
    boxes, axes = seen(elevation, azimuth, roll)
    view = RectifiedView.of(table(), boxes, axes)
    assert view is not None
    places = forward(view, centres(boxes[:ROW]))
    step = np.linalg.norm(places[1] - places[0])
    way = np.abs(places[1] - places[0]) / step
    half = step / 1.02 / 2 * (way + 1.34 * (1 - way)).astype(np.float32)
    there = np.concatenate([places - half, places + half], 1).astype(np.float32)
    back = view.boxes_to_photo(there)
    size = boxes[:ROW, 2:] - boxes[:ROW, :2]
    assert np.abs(back - boxes[:ROW]).max(1) / size.min(1) == pytest.approx(np.zeros(ROW), abs=0.2)
    upright = np.full(ROW, math.pi / 2 if way[0] > 0.5 else 0.0, np.float32)
    off = (view.axes_to_photo(upright, there) - axes[:ROW] + math.pi / 2) % math.pi - math.pi / 2
    assert np.abs(off).max() < 0.1


def test_a_table_seen_from_above_and_a_few_tiles_stay_as_they_are() -> None:
    assert RectifiedView.of(table(), *seen(80)) is None
    boxes, axes = seen(35)
    assert RectifiedView.of(table(), boxes[:4], axes[:4]) is None
    assert RectifiedView.of(table(), boxes, np.full_like(axes, np.nan)) is None


def test_only_tiles_near_clear_faces_are_included_in_the_view() -> None:
    boxes, axes = seen(50)
    row = np.arange(len(boxes)) < ROW
    clear = RectifiedView.of(table(), boxes[row], axes[row])
    step = boxes[1] - boxes[0]
    beside, far = boxes[0] - 2 * step, boxes[0] - 6 * step
    for box, shown in ((beside, True), (far, False)):
        some, turned = np.vstack([boxes[row], box]), np.append(axes[row], 0.3).astype(np.float32)
        view = RectifiedView.of(table(), some, turned, np.append(np.ones(ROW, bool), False))
        assert clear is not None
        assert view is not None
        assert bool(view.covers(centres(box[None]))[0]) is shown
        assert (view.picture.size != clear.picture.size) is shown


def test_a_wall_at_the_horizon_does_not_make_the_hand_small() -> None:
    boxes, axes = seen(35)
    plane = table_plane(boxes.astype(float), axes.astype(float), (1280, 960))
    near = RectifiedView.on_plane(table(), boxes.astype(float), plane)
    far = np.concatenate([boxes, [[600, 60, 604, 62]]]).astype(float)
    further = RectifiedView.on_plane(table(), far, plane)
    assert near is not None
    assert further is not None
    assert further.picture.size == near.picture.size
    assert further.covers(centres(boxes)).all()
    assert not further.covers(np.array([[602.0, 61.0], [602.0, -5000.0]], np.float32)).any()


class Passes(TwoStageDetector):
    """Finds all tiles on the photo, and the chosen ones of them on any other picture.

    There it takes the first `blank` of them for white dragons.
    """

    def __init__(
        self,
        boxes: FloatArray,
        axes: FloatArray,
        from_above: slice,
        blank: int = 0,
        plain: PlainTileClassifier | None = None,
    ) -> None:
        super().__init__(GivenBoxes(self.find), Backs(), INFO, SETTINGS, plain)
        self.blank = blank
        self.named = 0
        self.boxes, self.axes, self.from_above = boxes, axes, from_above
        self.views: list[RectifiedView] = []
        self.half = np.full((len(boxes), 1), 35, np.float32)
        self.faces = np.full((len(boxes), 43), 1 / 43, np.float32)

    def _try_rectified(
        self, photo: Picture, seen: Detections, view: RectifiedView
    ) -> Detections | None:
        self.views.append(view)
        return super()._try_rectified(photo, seen, view)

    def find(self, picture: Picture) -> FloatArray:
        if picture.size == table().size:
            return self.boxes
        places, half = (
            forward(self.views[-1], centres(self.boxes[self.from_above])),
            self.half[self.from_above],
        )
        found = np.concatenate([places - half, places + half], 1).astype(np.float32)
        return found

    def name(self, picture: Picture, found: BoxDetections, last: bool = True) -> Detections:
        n = len(found.boxes)
        if picture.size == table().size:
            return Detections(self.boxes, np.full(n, 0.5, np.float32), self.faces, self.axes)
        self.named += n
        faces = np.full((n, 43), 1 / 43, np.float32)
        faces[: self.blank] = np.eye(43)[Tile.WHITE]
        return Detections(found.boxes, found.scores, faces, np.full(n, np.nan, np.float32))


def test_tiles_of_the_rectified_view_are_named_on_it() -> None:
    boxes, axes = seen(35)
    passes = Passes(boxes, axes, slice(None))
    found = passes.detect(empty())
    assert len(found) == len(boxes) == passes.named
    assert found.scores == pytest.approx(np.full(len(boxes), 0.9))
    np.testing.assert_allclose(centres(found.boxes), centres(boxes), atol=6)


@pytest.mark.parametrize(("kind", "dropped"), [(BLANK, 0), (NOTHING, 2)])
def test_blank_tiles_of_the_rectified_view_are_examined_on_the_photo(
    kind: int, dropped: int
) -> None:
    boxes, axes = seen(35)
    found = Passes(boxes, axes, slice(None), 2, GivenKinds(kind)).detect(empty())
    assert len(found) == len(boxes) - dropped
    assert (found.probabilities.argmax(1) == Tile.WHITE).sum() == 2 - dropped


def test_a_rectified_view_that_loses_tiles_is_rejected() -> None:
    boxes, axes = seen(35)
    found = Passes(boxes, axes, slice(0, len(boxes) // 4)).detect(empty())
    np.testing.assert_array_equal(found.boxes, boxes)


def test_a_tile_that_only_the_photo_shows_is_dropped() -> None:
    boxes, axes = seen(35)
    found = Passes(boxes, axes, slice(1, None)).detect(empty())
    assert len(found) == len(boxes) - 1
    assert found.low_confidence is None


def test_quads_of_a_rectified_view_have_the_perspective_of_the_photo() -> None:
    _, _, camera = photo(35, 25)
    outlines = [footprint(tile, SHAPE) for tile in ROW_TILES]
    truth = np.stack([camera.project(np.column_stack([o, np.zeros(4)])) for o in outlines])
    boxes, axes = seen(35, 25)
    view = RectifiedView.of(table(), boxes, axes)
    assert view is not None
    above = np.stack([forward(view, quad) for quad in truth])
    upright = np.full(ROW, np.pi / 2, np.float32)
    on_view = Detections(
        np.concatenate([above.min(1), above.max(1)], 1),
        np.full(ROW, 0.9, np.float32),
        np.full((ROW, 43), 1 / 43, np.float32),
        upright if np.ptp(above[0, :2, 1]) < np.ptp(above[0, :2, 0]) else upright * 0,
    )
    mapped = on_photo(view, on_view, table().size)
    width = np.linalg.norm(truth[:, 0] - truth[:, 1], axis=1)

    def error(quads: FloatArray) -> float:
        turned = np.roll(quads, 2, axis=1)
        away = [np.linalg.norm(q - truth, axis=2).mean(1) / width for q in (quads, turned)]
        return float(np.minimum(*away).mean())

    assert error(mapped.quads) < 0.05
    assert error(quads_of(boxes[:ROW], axes[:ROW])) > 0.15


def test_tiles_outside_the_view_are_kept() -> None:
    boxes, axes = seen(35)
    far = np.array([[600, 60, 604, 62]], np.float32)
    passes = Passes(
        np.concatenate([boxes, far]),
        np.append(axes, np.nan).astype(np.float32),
        slice(0, len(boxes)),
    )
    found = passes.detect(empty())
    assert len(found) == len(boxes) + 1
    np.testing.assert_array_equal(found.boxes[-1:], far)
    assert found.scores[-1] == pytest.approx(0.5)


def rotation(angle: float) -> NDArray[np.float64]:
    """The homography that turns rows at this angle level."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("degrees", [-37, 12, 45])
def test_boxes_and_axes_on_a_level_picture_come_back(degrees: float) -> None:
    angle = float(np.radians(degrees))
    boxes = row_boxes(9, angle)
    turned = RectifiedView(Picture.of(np.zeros((600, 800, 3), np.uint8)), rotation(angle), 30)
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2 @ turned.forward[:2, :2].T + turned.forward[:2, 2]
    assert np.ptp(middles[:, 1]) < 0.5, "the row is level on the turned picture"
    half = np.array((15, 20))
    upright = np.concatenate([middles - half, middles + half], 1).astype(np.float32)
    assert turned.boxes_to_photo(upright) == pytest.approx(boxes, abs=0.5)
    # A tile that is upright on the turned view has the angle of its row on the photo.
    assert turned.axes_to_photo(np.array([np.pi / 2], np.float32), upright[:1]) == pytest.approx(
        [(np.pi / 2 + angle) % np.pi], abs=1e-3
    )


@pytest.mark.parametrize("degrees", [10, 30, 45])
def test_boxes_on_the_photo_are_tight_around_tiles_that_lie_askew_on_the_view(
    degrees: float,
) -> None:
    view = RectifiedView(table(), rotation(float(np.radians(degrees))), 30)
    there = forward(view, np.array([[285, 280], [315, 280], [315, 320], [285, 320]], np.float32))
    down = there[3] - there[0]
    seen = Detections(
        np.concatenate([there.min(0), there.max(0)])[None].astype(np.float32),
        np.full(1, 0.9, np.float32),
        np.full((1, 43), 1 / 43, np.float32),
        np.arctan2(down[1:], down[:1]).astype(np.float32) % np.pi,
    )
    assert on_photo(view, seen, table().size).boxes[0] == pytest.approx([285, 280, 315, 320], abs=1)
