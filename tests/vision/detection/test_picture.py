"""Parts cut from a photo, and from a view of it through a homography."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hupai.vision.detection.crops import cut_square
from hupai.vision.detection.picture import FILL, THUMBNAIL, Picture
from hupai.vision.types import Image


def smooth(height: int = 1200, width: int = 1600) -> Image:
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    return np.stack([columns / 8, rows / 8, np.hypot(rows - 600, columns - 800) / 6], 2).astype(
        np.uint8
    )


@pytest.mark.parametrize("side", [40, 161, 250, 331, 480, 777])
def test_a_part_of_any_size_lies_where_its_box_is(side: int) -> None:
    image, box = smooth(), np.array([[217, 340, 217 + side, 340 + side]], np.float32)
    part = image[340 : 340 + side, 217 : 217 + side]
    want = cv2.resize(part, (80, 80), interpolation=cv2.INTER_AREA).astype(int)
    inside = (slice(2, -2), slice(2, -2))  # interpolation looks beyond the edges of the box
    assert np.abs(Picture.of(image).cut(box, (80, 80))[0].astype(int) - want)[inside].max() <= 3


def test_detail_finer_than_the_part_is_averaged() -> None:
    stripes = np.zeros((640, 640, 3), np.uint8)
    stripes[:, ::2] = 200
    part = Picture.of(stripes).cut(np.array([[64.0, 64, 576, 576]]), (64, 64))
    assert np.abs(part.astype(int) - 100).max() <= 1


def test_what_lies_beyond_the_photo_is_grey() -> None:
    image = np.zeros((100, 100, 3), np.uint8)
    crop = cut_square(image, np.array([-20, 10, 20, 90], np.float32), 80)
    assert (crop[:, :30] == FILL).all()
    assert (crop[:, 60:] == 0).any()
    outside = np.array([[500, 500, 540, 556]], np.float32)
    assert (Picture.of(image).cut(outside, (32, 32)) == FILL).all()


def test_a_view_is_cut_from_the_photo() -> None:
    photo = Picture.of(smooth())
    zoom = np.array([[3.0, 0, -300], [0, 3, -600], [0, 0, 1]])
    view = photo.through(zoom, (900, 900))
    assert view.size == (900, 900)
    box = np.array([[30.0, 60, 330, 360]])
    on_photo = np.array([[110.0, 220, 210, 320]])
    np.testing.assert_array_equal(view.cut(box, (64, 64)), photo.cut(on_photo, (64, 64)))
    assert np.abs(view.image[450, 450].astype(int) - smooth()[350, 250]).max() <= 1
    through_both = view.through(np.linalg.inv(zoom), photo.size)
    np.testing.assert_array_equal(
        through_both.cut(on_photo, (64, 64)), photo.cut(on_photo, (64, 64))
    )


def test_a_view_in_perspective_shows_what_its_homography_says() -> None:
    quad = np.array([[300, 200], [900, 260], [1100, 800], [200, 700]], np.float32)
    onto = np.array([[0, 0], [400, 0], [400, 300], [0, 300]], np.float32)
    forward = cv2.getPerspectiveTransform(quad, onto).astype(np.float64)
    view = Picture.of(smooth()).through(forward, (400, 300))
    direct = Picture.of(smooth()).straightened(quad[None], (400, 300))[0]
    assert np.abs(view.image.astype(int) - direct).max() <= 1
    x, y = (forward @ [620, 480, 1])[:2] / (forward @ [620, 480, 1])[2]
    assert np.abs(direct[round(y), round(x)].astype(int) - smooth()[480, 620]).max() <= 3


def test_a_thumbnail_shows_the_whole_photo() -> None:
    image = np.zeros((480, 320, 3), np.uint8)
    image[240:] = 200
    thumbnail = Picture.of(image).thumbnail
    assert thumbnail.shape == (480 // THUMBNAIL, 320 // THUMBNAIL, 3)
    assert thumbnail[[0, 14, 15, -1], 0, 0].tolist() == [0, 0, 200, 200]


def test_no_boxes_give_no_parts() -> None:
    photo = Picture.of(smooth())
    assert photo.cut(np.zeros((0, 4)), (8, 6)).shape == (0, 6, 8, 3)
    assert photo.straightened(np.zeros((0, 4, 2)), (8, 6)).shape == (0, 6, 8, 3)


@pytest.mark.parametrize("size", [(16, 20_000), (20_000, 16), (9, 9)])
def test_a_strip_is_reduced_as_far_as_it_goes(size: tuple[int, int]) -> None:
    image = np.full((*size, 3), 50, np.uint8)
    part = Picture.of(image).cut(np.array([(0, 0, size[1], size[0])]), (4, 4))[0]
    assert (part == 50).all()
