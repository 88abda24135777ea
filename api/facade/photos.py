"""Photos for Python users: bytes, files, pictures and arrays in, results that show themselves out.

photo = hupai.read("hand.jpg")
print(photo.score("mcr-1998", seat="E", round="E", self_drawn=True))
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Unpack

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageOps

from hupai.api.answers.hand_belief import HandBelief, WinningTileError
from hupai.api.contract import to_dict, to_json
from hupai.api.facade import html
from hupai.api.facade.arguments import (
    CircumstanceArguments,
    RulesLike,
    TileLike,
    rules_of,
    tile_of,
    winning_tile_of,
)
from hupai.api.facade.errors import (
    ArgumentError,
    CorrectionError,
    NoLegalHandError,
    PhotoFileError,
)
from hupai.api.facade.scores import (
    ScoreResult,
    circumstances_model,
    messages,
    scored,
)
from hupai.api.facade.tile_set import with_tile_set
from hupai.api.facade.weights import weights_of_name
from hupai.models import registry
from hupai.scoring.hand import Hand
from hupai.scoring.notation import format_hand
from hupai.scoring.result import RuleSet, Severity
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.weights import LayoutWeights, weights_of
from hupai.vision.photo.decode import decode
from hupai.vision.pipeline import recogniser as pipeline
from hupai.vision.pipeline.annotate import annotate
from hupai.vision.reading.read import read as read_layout
from hupai.vision.types import Group, LikelyHand, PhotoProblem, PhotoReading, ReadTile

PhotoLike = str | os.PathLike[str] | bytes | bytearray | Pillow.Image | NDArray[np.uint8] | BinaryIO
"""A photo: path, bytes of a file, Pillow image, RGB array (height, width, 3), or open file."""

_CORRECTED = 1e-6
"""Probability left to each other face of a tile that somebody corrected."""

_PNG_MODES = ("1", "L", "LA", "I;16", "P", "RGB", "RGBA")
"""Modes of Pillow images that a PNG file can have."""

_SHOWN_SIDE = 900
"""Longer side of the photo in a notebook, pixels."""


@dataclass(frozen=True, slots=True, repr=False)
class PhotoResult:
    """What is on a photo; `print` gives one line, a notebook the annotated photo with the hands.

    Attributes:
        reading: the whole answer of the recogniser.
        rules: the rule set it was read with; None without one.
    """

    reading: PhotoReading
    rules: RuleSet | None
    _files: tuple[bytes, ...]
    _point: tuple[float, float] | None = None
    _weights: LayoutWeights | None = None

    @property
    def hands(self) -> tuple[LikelyHand, ...]:
        """The likeliest legal hands with their probabilities, best first; may be empty."""
        return self.reading.reading.hands

    @property
    def hand(self) -> Hand:
        """The likeliest hand.

        Raises:
            NoLegalHandError: the photo shows none.
        """
        if not self.hands:
            raise NoLegalHandError(
                f"{self.path} shows no legal hand: {self._problem_text()}. Correct a tile with "
                'corrected({id: "7p"}), or score the hand in notation with hupai.score.'
            )
        return self.hands[0].hand

    @property
    def certain(self) -> bool:
        """True if the reading is certain: at most 1 in 200 certain readings is wrong."""
        return self.reading.reading.certain

    @property
    def tiles(self) -> tuple[ReadTile, ...]:
        """Every tile found: those of the hand as they lie, then the others."""
        read = self.reading.reading
        known = {tile.id: tile for tile in read.tiles}
        held = [i for group in read.groups for i in group.tiles if i in known]
        return tuple(known[i] for i in dict.fromkeys([*held, *known]))

    @property
    def groups(self) -> tuple[Group, ...]:
        """The concealed tiles, melds, flowers and winning tile, as ids of `tiles`."""
        return self.reading.reading.groups

    @property
    def problems(self) -> tuple[PhotoProblem, ...]:
        """What is wrong or unclear, errors first."""
        return self.reading.reading.problems

    @property
    def path(self) -> str:
        """Path or name of the photo, of several the first."""
        return self.reading.photo.path

    def score(
        self,
        rules: RulesLike,
        *,
        win: TileLike | None = None,
        **circumstances: Unpack[CircumstanceArguments],
    ) -> ScoreResult:
        """Score the likeliest hand; `ScoreResult.verdict` says what the others come to.

        Args:
            rules: id of a rule set, path of a house-rule file, or a rule set.
            win: the winning tile, if the photo does not show which it is; the likeliest hand that
                holds it is scored.
            circumstances: how the hand was won; questions may ask for those left out.

        Raises:
            NoLegalHandError: the photo shows no legal hand.
            WinningTileUnknownError: the photo does not show which tile won.
            UnknownRuleSetError, HouseRuleError: the rules cannot be used.
            UnknownCircumstanceError, ArgumentError: an argument is not valid.
        """
        chosen, given = rules_of(rules), circumstances_model(circumstances)
        hand = self.hand
        belief = HandBelief.of_reading(self.reading.reading, given)
        if win is not None:
            try:
                belief = belief.won_by(winning_tile_of(win))
            except WinningTileError as error:
                raise ArgumentError(str(error)) from None
            hand = belief.reading.hands[0].hand
        return scored(chosen, hand, belief)

    def corrected(self, faces: Mapping[int, TileLike]) -> PhotoResult:
        """Read the photo again with some tiles known, which may change the reading of others.

        Args:
            faces: the face of each corrected tile, by its id: ``{7: "7p"}``.

        Raises:
            CorrectionError: no such tile, `faces` maps nothing, or several photos were read as one.
            UnknownTileError: no tile has such a code.
        """
        detections = self.reading.detections
        if detections is None:
            raise CorrectionError(
                "a reading of several photos cannot be corrected: correct that of one photo, "
                "or score the hand in notation with hupai.score"
            )
        if not isinstance(faces, Mapping):
            raise CorrectionError(
                "faces maps ids of tiles to what they show, such as {7: '7p'}, "
                f"and is not {type(faces).__name__}"
            )
        known = {tile.id for tile in self.reading.reading.tiles}
        probabilities, scores = detections.probabilities.copy(), detections.scores.copy()
        for i, face in faces.items():
            if i not in known:
                raise CorrectionError(f"no tile has the id {i!r}: see the ids in photo.tiles")
            probabilities[i] = _CORRECTED
            probabilities[i, tile_of(face)] = 1 - _CORRECTED * (len(Tile) - 1)
            scores[i] = 1.0
        size = (self.reading.photo.width, self.reading.photo.height)
        layout = arrange(
            replace(detections, probabilities=probabilities, scores=scores),
            size,
            self.rules.id if self.rules else None,
            self._point,
            self._weights,
        )
        return replace(
            self,
            reading=replace(
                self.reading,
                reading=read_layout(layout, self.rules),
                detections=layout.detections,
            ),
        )

    def annotated(
        self, target: str | os.PathLike[str] | None = None, *, photo: int = 0
    ) -> Pillow.Image:
        """Draw boxes, names and groups on the photo.

        Args:
            target: where to save the picture; its extension gives the format.
            photo: number of one of several photos that were read as one, from 0.

        Raises:
            OSError: the picture cannot be saved.
        """
        image = decode(self._files[photo], self.path).image
        picture = Pillow.fromarray(annotate(image, self.reading.reading.on_photo(photo)))
        if target is not None:
            picture.save(target)
        return picture

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object that ``hupai read --json`` prints."""
        return to_dict(self.reading)

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON."""
        return to_json(self.reading)

    def _problem_text(self) -> str:
        return messages(one for one in self.problems if one.severity is not Severity.NOTE)

    def __str__(self) -> str:
        if not self.hands:
            return f"{self.path}: no legal hand; {self._problem_text()}"
        likeliest = self.hands[0]
        sure = "certain" if self.certain else f"probability {likeliest.probability:.2f}"
        line = f"{self.path}: {format_hand(likeliest.hand)} ({sure})"
        problems = self._problem_text()
        return f"{line}; {problems}" if problems else line

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def _repr_html_(self) -> str:
        picture = self.annotated()
        picture.thumbnail((_SHOWN_SIDE, _SHOWN_SIDE))
        file = io.BytesIO()
        picture.save(file, "JPEG", quality=85)
        return html.photo(self.reading, file.getvalue())


class Recogniser:
    """Reads photos with one model, which is loaded once; threads may share it."""

    def __init__(self, model: str = "default", *, tile_set: str = "auto") -> None:
        """Load a model.

        Args:
            model: its name, see ``hupai models list``, or a folder written by training;
                ``default`` is what ``hupai models use`` chose.
            tile_set: name of the tile set on the photos (``hupai tile-sets list``); ``auto``: any
                that is recognised; ``none``.

        Raises:
            WeightsError: no such model, or its files are damaged.
            TileSetError: no such tile set.
        """
        self._recogniser = pipeline.Recogniser(registry.load(weights_of_name(model)))
        self._tile_set = tile_set
        self._using()

    def read(
        self,
        photo: PhotoLike,
        *more: PhotoLike,
        merge: bool = False,
        rules: RulesLike | None = None,
        point: tuple[float, float] | None = None,
    ) -> PhotoResult:
        """Read a photo, or with `merge` several photos of one hand as one.

        Args:
            photo: path, bytes, Pillow image, RGB array (height, width, 3) of uint8, or open file.
            more: further photos of the same hand; they need ``merge=True``.
            merge: the photos show one hand.
            rules: the rule set in play, if known.
            point: a place on the hand that is meant, x and y in pixels of the upright photo, if the
                photo shows several hands.

        Raises:
            PhotoFileError: a file does not exist or cannot be read.
            PhotoError: the content is not a photo.
            ArgumentError: something that is not a photo, or several photos without `merge`.
        """
        if more and not merge:
            raise ArgumentError(
                "several photos: give merge=True if they show one hand, else read them one by one"
            )
        if more and point is not None:
            raise ArgumentError("point names a place on one photo: give one photo")
        chosen = None if rules is None else rules_of(rules)
        files = tuple(_file_of(one) for one in (photo, *more))
        reader = self._using()
        reading = (
            reader.read_photos(files, chosen)
            if more
            else reader.read_photo(*files[0], chosen, point)
        )
        weights = weights_of(reader.detector)
        return PhotoResult(reading, chosen, tuple(data for data, _ in files), point, weights)

    def _using(self) -> pipeline.Recogniser:
        """Return the recogniser with the tile set in use as it is now."""
        detector = self._recogniser.detector
        return self._recogniser.using(with_tile_set(detector, self._tile_set))


def read(
    photo: PhotoLike,
    *more: PhotoLike,
    merge: bool = False,
    rules: RulesLike | None = None,
    point: tuple[float, float] | None = None,
    model: str = "default",
    tile_set: str = "auto",
) -> PhotoResult:
    """Read a photo, or with `merge` several photos of one hand as one.

    The model is loaded by the first call and kept until other weights are chosen. Arguments and
    errors are those of `Recogniser` and `Recogniser.read`.
    """
    with _LOADING:
        recogniser = _recogniser(model, weights_of_name(model), tile_set)
    return recogniser.read(photo, *more, merge=merge, rules=rules, point=point)


_LOADING = Lock()


@lru_cache(maxsize=2)
def _recogniser(model: str, _weights: str, tile_set: str) -> Recogniser:
    """Keep one for each name, as long as it names the same weights."""
    return Recogniser(model, tile_set=tile_set)


def _file_of(photo: PhotoLike) -> tuple[bytes, str]:
    """Return bytes and name of a photo, however it was given."""
    if isinstance(photo, str | os.PathLike):
        return _read_file(Path(photo)), os.fspath(photo)
    if isinstance(photo, bytes | bytearray | memoryview):
        return bytes(photo), "photo"
    if isinstance(photo, Pillow.Image):
        return _encoded(photo), getattr(photo, "filename", "") or "image"
    if isinstance(photo, np.ndarray):
        if photo.dtype != np.uint8 or photo.ndim != 3 or photo.shape[2] != 3:
            raise ArgumentError(
                "an array must be RGB, uint8, of shape (height, width, 3), "
                f"and this one is {photo.dtype} of shape {photo.shape}"
            )
        return _encoded(Pillow.fromarray(photo)), "array"
    content = photo.read() if hasattr(photo, "read") else None
    if isinstance(content, bytes):
        return content, str(getattr(photo, "name", "photo"))
    if isinstance(content, str):
        raise ArgumentError('the file is open as text: open it with open(path, "rb")')
    raise ArgumentError(
        "a photo is a path, bytes, a Pillow image, an RGB array or an open file, "
        f"and not {type(photo).__name__}"
    )


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise PhotoFileError(f"{path}: {reason}; give the path of a photo") from None


def _encoded(image: Pillow.Image) -> bytes:
    """Return the picture as an upright PNG, without loss and with little compression."""
    file = io.BytesIO()
    upright = ImageOps.exif_transpose(image)
    if upright.mode not in _PNG_MODES:
        upright = upright.convert("RGB")
    upright.save(file, "PNG", compress_level=1)
    return file.getvalue()
