"""Enrolment: from photos of a tile set's faces to a `TileSet`.

If tiles are in any order, the classifier's distributions are matched with the faces: every face is
on the photos at least once, and up to four times on each. If guided, the caller gives the faces of
each photo in reading order, and the classifier only checks them. If a face remains doubtful, the
caller asks the user and repeats the call with `answers`; detection is deterministic, so that the
answers still apply.

    TileSetError
    ├── TileSetNameError      the name is invalid
    ├── NoEmbeddingsError     the weights cannot learn
    ├── SetPhotoError         a file is not a photo
    └── IncompleteSetError    faces missing, shown too often or in doubt, or tiles that the order
                              does not name
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Literal

import numpy as np

from hupai.scoring.errors import HupaiError
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.enrolment.discriminant import TileSet, cut_view
from hupai.vision.enrolment.label_faces import (
    Answers,
    Seen,
    Shown,
    ShownPhoto,
    any_order,
    guided,
    reading_order,
)
from hupai.vision.photo.decode import DEFAULT_LIMITS, Limits, PhotoError, decode
from hupai.vision.photo.exposure import well_lit
from hupai.vision.types import Image

NAME = re.compile(r"\w[\w .-]{0,39}")
"""Pattern of a valid name."""

WORDS = ("auto", "none")
"""Words that choose among sets, and so cannot name one."""


class TileSetError(HupaiError):
    """A tile set cannot be learnt or found; the subclasses say why."""


class TileSetNameError(TileSetError):
    """The name is invalid; `message_zh` says so in Chinese."""

    message_zh = (
        "牌组名称不合适：最多 40 个字母、数字、空格、点和连字符，"
        "字母或数字开头，不能是 auto 或 none"
    )

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} cannot be the name of a tile set: use up to 40 letters, digits, spaces, "
            "dots and hyphens, a letter or digit first, and not the words auto or none"
        )


class NoEmbeddingsError(TileSetError):
    """The weights have no embeddings."""

    def __init__(self, model: str) -> None:
        super().__init__(
            f"the weights {model!r} cannot learn tile sets: export them again with this version"
        )


class SetPhotoError(TileSetError):
    """One of the files is not a photo.

    Attributes:
        photo: which one, counted from 0.
        cause: why.
    """

    def __init__(self, photo: int, cause: PhotoError) -> None:
        self.photo, self.cause = photo, cause
        super().__init__(str(cause))


class IncompleteSetError(TileSetError):
    """The photos do not show every face as they should, or leave some in doubt.

    Attributes:
        shown: what they show.
        message_zh: the message in Chinese.
    """

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self.message_zh = _reason_zh(shown)
        super().__init__(_reason(shown))


def enrol(
    name: str,
    photos: Sequence[tuple[str, bytes]],
    detector: TwoStageDetector,
    *,
    faces: Literal[34, 42] | None = None,
    order: Sequence[Sequence[Tile]] | None = None,
    answers: Answers = MappingProxyType({}),
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[TileSet, Shown]:
    """Take the faces of a set from photos.

    Args:
        name: name of the set.
        photos: name and bytes of each.
        detector: finds and names the tiles.
        faces: 34 without flowers, 42 with them; None to decide by the tiles.
        order: for each photo the faces it shows, in reading order; None for any order.
        answers: faces that the user gave for tiles.
        limits: which files are accepted.

    Returns:
        The set, and what was seen on the photos.

    Raises:
        TileSetNameError, NoEmbeddingsError, SetPhotoError, IncompleteSetError: see there.
        ValueError: if the order is for another number of photos.
    """
    check_name(name)
    if not detector.embeds:
        raise NoEmbeddingsError(detector.info.name)
    if order is not None and len(order) != len(photos):
        raise ValueError(f"the order names {len(order)} photos, and {len(photos)} were given")
    images, seen = [], []
    for number, (file, data) in enumerate(photos):
        try:
            image = well_lit(decode(data, file, limits).image)
        except PhotoError as error:
            raise SetPhotoError(number, error) from error
        images.append(image)
        seen.append(_see(file, image, detector))
    shown = (
        any_order(seen, faces, answers) if order is None else guided(seen, order, faces, answers)
    )
    if (
        shown.missing
        or shown.surplus
        or shown.doubtful
        or any(photo.problem for photo in shown.photos)
    ):
        raise IncompleteSetError(shown)
    views = [
        cut_view(images[tile.place[0]], np.asarray(tile.box, np.float32)) for tile in shown.tiles
    ]
    tile_set = TileSet(
        name,
        datetime.now(UTC).isoformat(timespec="seconds"),
        np.asarray([int(tile.face) for tile in shown.tiles], np.int16),
        np.stack(views),
        np.asarray([tile.place[0] for tile in shown.tiles], np.int16),
    )
    return tile_set, shown


def check_name(name: str) -> None:
    """Raise `TileSetNameError` unless a set can have this name."""
    if not NAME.fullmatch(name) or name != name.strip() or name in WORDS:
        raise TileSetNameError(name)


def _see(name: str, image: Image, detector: TwoStageDetector) -> Seen:
    """Find the tiles of a photo that show a face, in reading order."""
    found = detector.detect(image)
    faces = np.nonzero(found.probabilities[:, : Tile.BACK].sum(1) > 0.5)[0]
    chosen = faces[reading_order(found.boxes[faces])]
    photo = ShownPhoto(
        name, image.shape[1], image.shape[0], len(chosen), None if len(chosen) else "shows no tile"
    )
    return Seen(photo, found.boxes[chosen], found.probabilities[chosen])


def _reason(shown: Shown) -> str:
    """Describe what is wrong in one sentence."""
    wrong = [
        f"photo {i + 1} {photo.problem}" for i, photo in enumerate(shown.photos) if photo.problem
    ]
    if shown.missing:
        wrong.append(f"no tile shows {_codes(shown.missing)}")
    if shown.surplus:
        wrong.append(f"more than four tiles of a photo show {_codes(shown.surplus)}")
    if shown.doubtful:
        doubtful = _perhaps_missing(shown)
        perhaps = f", perhaps {_codes(doubtful)} missing" if doubtful else ""
        count = "1 tile is" if len(shown.doubtful) == 1 else f"{len(shown.doubtful)} tiles are"
        wrong.append(f"{count} in doubt and should be confirmed{perhaps}")
    return "; ".join(wrong)


def _reason_zh(shown: Shown) -> str:
    """Say the same in Chinese, but not which tiles of a photo fit no face."""
    wrong = [
        f"第 {i + 1} 张照片的牌数与填写的不符"
        for i, photo in enumerate(shown.photos)
        if photo.problem
    ]
    if shown.missing:
        wrong.append(f"照片上没有{_named(shown.missing)}")
    if shown.surplus:
        wrong.append(f"一张照片上有四张以上的{_named(shown.surplus)}")
    if shown.doubtful:
        missing = _perhaps_missing(shown)
        perhaps = f"，可能缺{_named(missing)}" if missing else ""
        wrong.append(f"有 {len(shown.doubtful)} 张牌存疑，请确认{perhaps}")
    return "；".join(wrong)


def _perhaps_missing(shown: Shown) -> list[Tile]:
    """List the faces that only tiles in doubt show."""
    sure = {tile.face for tile in shown.tiles if not tile.doubtful}
    return sorted({tile.face for tile in shown.doubtful} - sure)


_RUN = 3
"""Number of consecutive faces of a suit from which only the first and the last are named."""


def _codes(tiles: Iterable[Tile]) -> str:
    """Write faces as codes, e.g. ``1-9p 3s E``."""
    return " ".join(
        f"{run[0].rank}-{run[-1].code}"
        if len(run) >= _RUN and run[0].rank
        else " ".join(tile.code for tile in run)
        for run in _runs(tiles)
    )


def _named(tiles: Iterable[Tile]) -> str:
    """Write faces in Chinese, e.g. 一饼至九饼、三条、东."""
    return "、".join(
        f"{ZH_NAMES[run[0]]}至{ZH_NAMES[run[-1]]}"
        if len(run) >= _RUN and run[0].is_suited
        else "、".join(ZH_NAMES[tile] for tile in run)
        for run in _runs(tiles)
    )


def _runs(tiles: Iterable[Tile]) -> list[list[Tile]]:
    """Divide faces into runs of consecutive ones of a suit."""
    runs: list[list[Tile]] = []
    for tile in sorted(set(tiles)):
        if runs and runs[-1][-1] == tile - 1 and runs[-1][-1].suit is tile.suit:
            runs[-1].append(tile)
        else:
            runs.append([tile])
    return runs
