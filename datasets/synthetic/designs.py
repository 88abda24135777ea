"""Tile designs: the faces of one set, its body and its back.

A face is RGBA. Drawn art is transparent around the ink and is laid on the body's colour; a face cut
from a photo is opaque and brings its own body. The available sources depend on the machine: the
project's own drawings always exist, others are used if found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.faces.drawing import FontError, draw, random_style
from hupai.datasets.faces.raster import FACE_HEIGHT, rasterise
from hupai.datasets.faces.svg import face_rgba
from hupai.datasets.synthetic.scene import Proportions
from hupai.scoring.tiles import CODES, Tile

Rgba = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A tile set's design.

    Attributes:
        name: for statistics, and to keep held-out designs out of training.
        face: returns the RGBA face of a tile, shape (FACE_HEIGHT, w, 4), or None if the design
            lacks it.
        body: RGB of the upper part.
        back: RGB of the back.
        back_share: share of the thickness that has the back's colour.
        proportions: shape of the tiles.
        margin: share of the tile's width left free around a transparent face.
    """

    name: str
    face: Callable[[Tile], Rgba | None]
    body: tuple[int, int, int]
    back: tuple[int, int, int]
    back_share: float
    proportions: Proportions
    margin: float


class PictureFaces:
    """Faces from a folder of pictures named ``<code>_<n>.png`` or ``<code>.png``.

    If there are several pictures of a face, one is chosen at random.
    """

    def __init__(self, files: dict[Tile, list[Path]], rng: np.random.Generator) -> None:
        self._files = {tile: paths[int(rng.integers(len(paths)))] for tile, paths in files.items()}

    def __call__(self, tile: Tile) -> Rgba | None:
        """Return the picture of a tile, None if the folder lacks it."""
        path = self._files.get(tile)
        return None if path is None else load_face(str(path))


@lru_cache(maxsize=4096)
def load_face(path: str) -> Rgba:
    """Read a face picture as RGBA of FACE_HEIGHT rows; opaque if the file has no alpha."""
    raw = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    if raw is None:
        raise FileNotFoundError(f"{path} is not a picture that OpenCV can read")
    if raw.ndim == 2:
        raw = cv2.cvtColor(raw, cv2.COLOR_GRAY2BGR)
    rgba = cv2.cvtColor(raw, cv2.COLOR_BGRA2RGBA if raw.shape[2] == 4 else cv2.COLOR_BGR2RGBA)
    scale = FACE_HEIGHT / rgba.shape[0]
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return cv2.resize(
        rgba, (max(8, round(rgba.shape[1] * scale)), FACE_HEIGHT), interpolation=method
    ).astype(np.uint8)


def face_files(folder: Path) -> dict[Tile, list[Path]]:
    """Find the face pictures of a folder by tile; files with other names are ignored."""
    found: dict[Tile, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        code = path.stem.split("_")[0]
        if code in CODES and path.suffix.lower() in (".png", ".jpg", ".jpeg"):
            found.setdefault(Tile.from_code(code), []).append(path)
    return found


BODIES = (
    (250, 248, 240),
    (244, 238, 220),
    (252, 252, 252),
    (236, 226, 200),
    (240, 244, 240),
    (228, 234, 226),
    (246, 240, 232),
)
BACKS = (
    (30, 120, 60), (40, 150, 210), (25, 60, 150), (230, 130, 30), (200, 30, 120), (190, 150, 70),
    (120, 70, 30), (60, 60, 65), (235, 200, 40), (160, 20, 30), (20, 150, 130), (90, 40, 130),
    (110, 190, 235),
)  # fmt: skip


def random_body(
    rng: np.random.Generator,
) -> tuple[tuple[int, int, int], tuple[int, int, int], float, Proportions]:
    """Draw body colour, back colour, share of the back and proportions of a set."""
    body = np.clip(
        np.array(BODIES[int(rng.integers(len(BODIES)))]) + rng.normal(0, 4, 3), 200, 255
    ).astype(int)
    back = np.clip(
        np.array(BACKS[int(rng.integers(len(BACKS)))]) + rng.normal(0, 18, 3), 5, 250
    ).astype(int)
    share = float(rng.uniform(0.2, 0.55)) if rng.random() < 0.9 else 0.0
    shape = Proportions(
        height=float(rng.uniform(1.25, 1.45)), thickness=float(rng.uniform(0.55, 0.92))
    )
    return (
        (int(body[0]), int(body[1]), int(body[2])),
        (int(back[0]), int(back[1]), int(back[2])),
        share,
        shape,
    )


TIGHT = 0.02
"""Maximum margin of a tight set, as a share of the tile's width; its faces are cut to their ink."""


def trimmed(art: Rgba) -> Rgba:
    """Cut a transparent face to its ink; one without ink stays as it is."""
    rows, columns = (np.nonzero((art[..., 3] > 16).any(axis))[0] for axis in (1, 0))
    if not len(rows):
        return art
    return art[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


class DesignBank:
    """All available designs, with a probability for the folders of drawn styles."""

    def __init__(
        self, folders: list[Path], drawn_share: float = 0.35, tight_share: float = 0.0
    ) -> None:
        """Use face folders, one per tile set; without any, every design is drawn.

        Args:
            folders: folders of face pictures. Names that begin with ``drawn`` hold styles of the
                project's own drawing program.
            drawn_share: probability of such a style if there are other sets too.
            tight_share: probability of a set whose transparent faces reach the tile's edge.
        """
        found = [
            (folder.name, files) for folder in sorted(folders) if (files := face_files(folder))
        ]
        self._drawn = [s for s in found if s[0].startswith("drawn")]
        self._sets = [s for s in found if not s[0].startswith("drawn")]
        self._drawn_share = drawn_share if self._sets else 1.0
        self._tight_share = tight_share

    def margin(self, rng: np.random.Generator, least: float, most: float) -> float:
        """Draw a face's margin, a share of the tile's width: from `least` to `most`, or tight."""
        margin = float(rng.uniform(least, most))
        # Without tight sets nothing further is drawn, so that a seed still gives the same scenes.
        if self._tight_share and rng.random() < self._tight_share:
            return float(rng.uniform(0, TIGHT))
        return margin

    def pick(self, rng: np.random.Generator) -> Design:
        """Draw a design; missing faces are taken from another one."""
        body, back, share, shape = random_body(rng)
        margin = self.margin(rng, 0.03, 0.13)
        pool = self._drawn if self._drawn and rng.random() < self._drawn_share else self._sets
        if not pool:
            return Design("drawn", drawn_faces(rng), body, back, share, shape, margin)
        name, files = pool[int(rng.integers(len(pool)))]
        everything = self._drawn + self._sets
        pictures = PictureFaces(files, rng)
        lenders = [
            PictureFaces(everything[int(i)][1], rng) for i in rng.permutation(len(everything))
        ]

        def face(tile: Tile) -> Rgba | None:
            return next(
                (found for lender in (pictures, *lenders) if (found := lender(tile)) is not None),
                None,
            )

        return Design(
            name, red_fives(face) if rng.random() < 0.1 else face, body, back, share, shape, margin
        )


def red_fives(face: Callable[[Tile], Rgba | None]) -> Callable[[Tile], Rgba | None]:
    """Colour all ink of 5m, 5p and 5s red, as in sets for the Japanese game."""
    fives = {Tile.from_code(code) for code in ("5m", "5p", "5s")}

    def changed(tile: Tile) -> Rgba | None:
        art = face(tile)
        if art is None or tile not in fives:
            return art
        colours = art[..., :3].astype(np.float32)
        light = float(np.percentile(colours.mean(2), 95)) if art[..., 3].min() == 255 else 255.0
        density = np.clip(1 - colours.min(2) / max(light, 1.0), 0, 1)[..., None]
        red = np.array((200.0, 25.0, 30.0), np.float32)
        # Ink turns red, paper stays as it is.
        mixed = colours * (1 - density) + red * density
        out: Rgba = np.dstack([np.clip(mixed, 0, 255).astype(np.uint8), art[..., 3]])
        return out

    return changed


def drawn_faces(rng: np.random.Generator) -> Callable[[Tile], Rgba | None]:
    """Draw faces of one random style with the project's own drawing program.

    The program needs fontTools and a Chinese font. If they are missing, or a font lacks a
    character, the project's finished drawings are used instead.
    """

    def finished(tile: Tile) -> Rgba:
        return face_rgba(tile, FACE_HEIGHT)

    try:
        style = random_style(rng)
    except FontError:
        return finished
    cache: dict[Tile, Rgba] = {}

    def face(tile: Tile) -> Rgba | None:
        if tile not in cache:
            try:
                cache[tile] = rasterise(draw(tile, style), FACE_HEIGHT)
            except FontError:
                cache[tile] = finished(tile)
        return cache[tile]

    return face


def project_design() -> Design:
    """Return the project's own set: the faces in datasets/faces/art on ivory, a green back."""

    return Design(
        "hupai",
        lambda tile: face_rgba(tile, FACE_HEIGHT),
        (248, 246, 238),
        (28, 118, 74),
        0.38,
        Proportions(),
        0.07,
    )
