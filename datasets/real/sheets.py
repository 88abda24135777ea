"""Faces of whole tile sets, cut from photos in which the set is laid out as a grid.

A sheet is one such photo with one or more grids on it. ``datasets/real/sheets/*.json`` gives the
position of each grid and the tile of each cell; the photos themselves are not part of the project.

    python -m hupai.datasets.real.sheets PHOTOS OUT.jpg [--faces DIR] [--grids DIR]

PHOTOS is the folder that the paths start from (``../shared/photos``). OUT.jpg shows every cut face
with its code, sets one under another. --faces writes each as DIR/<set>/<code>_<n>.png, --grids
every sheet with its cells outlined.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hupai.scoring.errors import HupaiError
from hupai.scoring.tiles import Tile

SHEETS_DIR = Path(__file__).with_name("sheets")
"""Folder of the descriptions of the sheets, one JSON file per photo."""


class SheetError(HupaiError, ValueError):
    """A wrong description, or a missing or different photo; the message says which."""


@dataclass(frozen=True)
class Grid:
    """One grid of tiles on a photo.

    Attributes:
        corners: (4, 2) float32, pixels of the photo: top-left, top-right, bottom-right, bottom-left
            of the outermost tile edges.
        row_edges: rows + 1 rising fractions of the grid's height, 0 the top edge and 1 the bottom
            one.
        column_edges: columns + 1 rising fractions of the grid's width.
        names: for each row the tile of each cell, None for a cell to leave out.
        turn: quarter turns, counter-clockwise, that bring a tile of this grid upright.
        inset: fraction of a cell's width cut off on each of its four sides, so that no gap or
            neighbour shows.
    """

    corners: NDArray[np.float32]
    row_edges: tuple[float, ...]
    column_edges: tuple[float, ...]
    names: tuple[tuple[Tile | None, ...], ...]
    turn: int
    inset: float

    def cell_quad(self, row: int, column: int) -> NDArray[np.float32]:
        """Return the corners of a cell after the inset, (4, 2) float32, in pixels of the photo.

        Their order is that of ``corners``.
        """
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
        to_photo = cv2.getPerspectiveTransform(unit, self.corners)
        x0, x1 = self.column_edges[column : column + 2]
        y0, y1 = self.row_edges[row : row + 2]
        top, right, bottom, left = (
            np.linalg.norm(self.corners[(k + 1) % 4] - self.corners[k]) for k in range(4)
        )
        margin_x = self.inset * (x1 - x0)
        # The same number of pixels above and below as at the sides: tiles lie as close in both
        # directions.
        margin_y = margin_x * float(top + bottom) / float(left + right)
        x0, x1, y0, y1 = x0 + margin_x, x1 - margin_x, y0 + margin_y, y1 - margin_y
        inner = np.array([[[x0, y0], [x1, y0], [x1, y1], [x0, y1]]], dtype=np.float32)
        return np.asarray(cv2.perspectiveTransform(inner, to_photo)[0], dtype=np.float32)

    def cells(self) -> Iterator[tuple[int, int, Tile]]:
        """Yield row, column and tile of every named cell, row by row."""
        for row, names in enumerate(self.names):
            for column, tile in enumerate(names):
                if tile is not None:
                    yield row, column, tile


@dataclass(frozen=True)
class Sheet:
    """A photo with grids of tiles of one set.

    Attributes:
        name: short name, that of the JSON file.
        file: path of the photo below the folder of photos.
        sha256: SHA-256 of the photo's bytes, in hex.
        set_name: the tile set; sheets of one set share it.
        grids: the grids on it.
    """

    name: str
    file: str
    sha256: str
    set_name: str
    grids: tuple[Grid, ...]


@dataclass(frozen=True)
class Face:
    """One tile cut from a sheet.

    Attributes:
        set_name: the tile set.
        tile: what it is, never the back.
        image: (h, w, 3) uint8 RGB, trimmed to the tile's own face, at the resolution of the photo.
        upright: whether the tile is upright in the image.
    """

    set_name: str
    tile: Tile
    image: NDArray[np.uint8]
    upright: bool


class _GridFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    corners: Annotated[list[tuple[float, float]], Field(min_length=4, max_length=4)]
    rows: Annotated[int, Field(ge=1)]
    columns: Annotated[int, Field(ge=1)]
    row_edges: list[float] = []
    column_edges: list[float] = []
    names: list[list[str]]
    turn: Literal[0, 1, 2, 3] = 0
    inset: Annotated[float, Field(ge=0, lt=0.3)] = 0.03

    @model_validator(mode="after")
    def _check(self) -> _GridFile:
        if len(self.names) != self.rows or any(len(row) != self.columns for row in self.names):
            raise ValueError(f"names must hold {self.rows} rows of {self.columns} codes")
        for label, edges, count in (
            ("row_edges", self.row_edges, self.rows),
            ("column_edges", self.column_edges, self.columns),
        ):
            rising = all(a < b for a, b in pairwise(edges))
            if edges and (len(edges) != count + 1 or not rising):
                raise ValueError(f"{label} must be {count + 1} rising fractions")
        if "?" in (code for row in self.names for code in row):
            raise ValueError("a face-down tile has no face to cut: leave its name empty")
        return self

    def to_grid(self) -> Grid:
        names = tuple(
            tuple(Tile.from_code(code) if code else None for code in row) for row in self.names
        )
        rows = tuple(self.row_edges) or tuple(np.linspace(0, 1, self.rows + 1).tolist())
        columns = tuple(self.column_edges) or tuple(np.linspace(0, 1, self.columns + 1).tolist())
        return Grid(
            np.array(self.corners, dtype=np.float32), rows, columns, names, self.turn, self.inset
        )


class _SheetFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    set: str
    grids: Annotated[list[_GridFile], Field(min_length=1)]


def load_sheet(path: Path) -> Sheet:
    """Read the sheet that one JSON file describes.

    Raises:
        SheetError: if the file does not have the form; the message names the file and the field.
    """
    try:
        form = _SheetFile.model_validate_json(path.read_bytes())
        return Sheet(
            path.stem,
            form.file,
            form.sha256,
            form.set,
            tuple(grid.to_grid() for grid in form.grids),
        )
    except (ValidationError, ValueError) as error:
        raise SheetError(f"{path.name}: {error}") from error


@cache
def load_sheets(folder: Path = SHEETS_DIR) -> tuple[Sheet, ...]:
    """Read all described sheets, by name.

    Raises:
        SheetError: if a description is wrong.
    """
    return tuple(load_sheet(path) for path in sorted(folder.glob("*.json")))


def cut_faces(shared_photos: Path, sheets: Sequence[Sheet] | None = None) -> Iterator[Face]:
    """Yield every named tile of the sheets, warped to a rectangle and turned upright.

    Args:
        shared_photos: the folder that the sheets' ``file`` paths start from.
        sheets: which sheets; None for all of the project's.

    Raises:
        SheetError: if a photo is missing, cannot be decoded or is not the one described.
    """
    for sheet in load_sheets() if sheets is None else sheets:
        image = _read_photo(shared_photos, sheet)
        for grid in sheet.grids:
            for row, column, tile in grid.cells():
                face = _cut(image, grid.cell_quad(row, column))
                yield Face(
                    sheet.set_name,
                    tile,
                    np.ascontiguousarray(np.rot90(face, grid.turn)),
                    upright=True,
                )


def _read_photo(folder: Path, sheet: Sheet) -> NDArray[np.uint8]:
    path = folder / sheet.file
    if not path.is_file():
        raise SheetError(f"{sheet.name}: no photo {sheet.file} in {folder}")
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sheet.sha256:
        raise SheetError(
            f"{sheet.name}: {sheet.file} is not the photo described (its SHA-256 differs)"
        )
    decoded = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    if decoded is None:
        raise SheetError(f"{sheet.name}: {sheet.file} cannot be decoded")
    return np.asarray(cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB), dtype=np.uint8)


def _cut(image: NDArray[np.uint8], quad: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Warp the quadrilateral to a rectangle whose sides are the means of the opposite sides."""
    top, right, bottom, left = (
        float(np.linalg.norm(quad[(k + 1) % 4] - quad[k])) for k in range(4)
    )
    width, height = max(1, round((top + bottom) / 2)), max(1, round((left + right) / 2))
    # Corners are edges of pixels, but the warp uses pixel centres; hence the half.
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(quad - np.float32(0.5), target.astype(np.float32))
    return np.asarray(
        cv2.warpPerspective(image, matrix, (width, height), flags=cv2.INTER_CUBIC), dtype=np.uint8
    )


def contact_sheet(faces: Iterable[Face], cell: int = 96, columns: int = 16) -> NDArray[np.uint8]:
    """Draw faces in rows with their codes, each set under its name in the order of the tiles.

    Args:
        faces: what to draw.
        cell: height of a drawn face, pixels.
        columns: faces per row.

    Returns:
        (h, w, 3) uint8 RGB.
    """
    by_set: dict[str, list[Face]] = {}
    for face in faces:
        by_set.setdefault(face.set_name, []).append(face)
    strips = []
    for set_name, members in by_set.items():
        members.sort(key=lambda face: face.tile)
        title = np.full((22, columns * cell, 3), 60, dtype=np.uint8)
        _label(title, f"{set_name}: {len(members)} faces", (4, 16), 0.5)
        strips.append(title)
        for start in range(0, len(members), columns):
            strips.append(_row(members[start : start + columns], cell, columns))
    return np.concatenate(strips) if strips else np.zeros((1, 1, 3), dtype=np.uint8)


def _row(faces: Sequence[Face], cell: int, columns: int) -> NDArray[np.uint8]:
    strip = np.full((cell + 18, columns * cell, 3), 110, dtype=np.uint8)
    for k, face in enumerate(faces):
        height, width = face.image.shape[:2]
        scale = min((cell - 4) / height, (cell - 4) / width)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        drawn = cv2.resize(
            face.image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        )
        strip[16 : 16 + size[1], k * cell + 2 : k * cell + 2 + size[0]] = drawn
        _label(strip, face.tile.code, (k * cell + 2, 12), 0.42)
    return strip


def _label(
    image: NDArray[np.uint8],
    text: str,
    at: tuple[int, int],
    scale: float,
    colour: tuple[int, int, int] = (255, 255, 0),
) -> None:
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, 1)


def outlined(shared_photos: Path, sheet: Sheet, scale: float = 1.0) -> NDArray[np.uint8]:
    """Draw the borders and codes of all named cells on a sheet's photo, resized by ``scale``.

    Returns:
        (h, w, 3) uint8 RGB.
    """
    photo = _read_photo(shared_photos, sheet)
    image = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    drawn = np.asarray(image, dtype=np.uint8)
    for grid in sheet.grids:
        for row, column, tile in grid.cells():
            quad = np.round(grid.cell_quad(row, column) * scale).astype(np.int32)
            cv2.polylines(drawn, [quad], True, (255, 0, 255), 1)
            place = (int(quad[0, 0]) + 2, int(quad[0, 1]) + 10)
            _label(drawn, tile.code, place, 0.35, (255, 0, 255))
    return drawn


def write_faces(faces: Iterable[Face], folder: Path) -> int:
    """Write each face as ``<set>/<code>_<n>.png`` below a folder; return how many.

    n counts from 0 for each code of a set.
    """
    count: Counter[tuple[str, Tile]] = Counter()
    for face in faces:
        place = folder / face.set_name
        place.mkdir(parents=True, exist_ok=True)
        number = count[face.set_name, face.tile]
        count[face.set_name, face.tile] += 1
        _write(place / f"{face.tile.code}_{number}.png", face.image)
    return count.total()


def _write(path: Path, image: NDArray[np.uint8]) -> None:
    if not cv2.imwrite(str(path), cv2.cvtColor(image, cv2.COLOR_RGB2BGR)):
        raise SheetError(f"cannot write {path}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 2 if a sheet or photo is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m hupai.datasets.real.sheets",
        description="Cut the tile faces of the described sheets.",
    )
    add = parser.add_argument
    add("photos", type=Path, help="the folder that the sheets' file paths start from")
    add("out", type=Path, help="the contact sheet to write, .jpg or .png")
    add("--set", action="append", default=[], metavar="NAME", help="only this tile set; repeatable")
    add("--faces", type=Path, metavar="DIR", help="write every face below this folder")
    add("--grids", type=Path, metavar="DIR", help="write every sheet with its cells outlined here")
    options = parser.parse_args(arguments)
    try:
        sheets = [
            sheet for sheet in load_sheets() if not options.set or sheet.set_name in options.set
        ]
        faces = list(cut_faces(options.photos, sheets))
        _write(options.out, contact_sheet(faces))
        if options.faces is not None:
            write_faces(faces, options.faces)
        if options.grids is not None:
            options.grids.mkdir(parents=True, exist_ok=True)
            for sheet in sheets:
                _write(options.grids / f"{sheet.name}.jpg", outlined(options.photos, sheet))
    except SheetError as error:
        parser.error(str(error))
    for set_name, number in sorted(Counter(face.set_name for face in faces).items()):
        print(f"{set_name}: {number} faces")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
