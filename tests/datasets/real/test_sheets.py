"""Faces cut from sheets: on a sheet drawn here, and on the described photos where they are at
hand.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.datasets.real.sheets import (
    Sheet,
    SheetError,
    contact_sheet,
    cut_faces,
    load_sheet,
    load_sheets,
    main,
    write_faces,
)
from hupai.scoring.tiles import Tile
from tests.shared import require_shared

COLOURS = {
    "1m": (200, 30, 30),
    "2p": (30, 200, 30),
    "3s": (30, 30, 200),
    "E": (200, 200, 30),
    "7h": (30, 200, 200),
}
GAP = (20, 20, 20)
CORNERS = [[52.0, 43.0], [345.0, 60.0], [330.0, 262.0], [38.0, 238.0]]


def draw_sheet(
    names: list[list[str]], column_edges: list[float], *, upside_down: bool = False
) -> NDArray[np.uint8]:
    """A grid of coloured tiles with a white bar on each one's top, dark gaps between, seen at an
    angle; (300, 400, 3) RGB.
    """
    flat = np.full((400, 600, 3), GAP, dtype=np.uint8)
    for row, codes in enumerate(names):
        for column, code in enumerate(codes):
            x0, x1 = (round(600 * edge) for edge in column_edges[column : column + 2])
            y0, y1 = row * 400 // len(names), (row + 1) * 400 // len(names)
            flat[y0 + 3 : y1 - 3, x0 + 3 : x1 - 3] = COLOURS.get(code, (255, 0, 255))
            bar = slice(y1 - 40, y1 - 20) if upside_down else slice(y0 + 20, y0 + 40)
            flat[bar, x0 + 20 : x1 - 20] = 255
    source = np.array([[0, 0], [600, 0], [600, 400], [0, 400]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(
        source - np.float32(0.5), np.array(CORNERS, dtype=np.float32) - np.float32(0.5)
    )
    return np.asarray(
        cv2.warpPerspective(flat, matrix, (400, 300), borderValue=(90, 60, 30)), dtype=np.uint8
    )


def put_sheet(
    folder: Path,
    names: list[list[str]],
    column_edges: list[float],
    turn: int = 0,
    changes: dict[str, object] | None = None,
) -> Path:
    """Writes the drawn sheet as sheet.png and its description as sheet.json; the path of the
    description.
    """
    picture = draw_sheet(names, column_edges, upside_down=turn == 2)
    cv2.imwrite(str(folder / "sheet.png"), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    grid = {
        "corners": CORNERS,
        "rows": len(names),
        "columns": len(names[0]),
        "column_edges": column_edges,
        "names": names,
        "turn": turn,
    }
    digest = hashlib.sha256((folder / "sheet.png").read_bytes()).hexdigest()
    form = {
        "file": "sheet.png",
        "sha256": digest,
        "set": "drawn",
        "grids": [grid | (changes or {})],
    }
    path = folder / "sheet.json"
    path.write_text(json.dumps(form), encoding="utf-8")
    return path


NAMES = [["1m", "2p", ""], ["3s", "E", "7h"]]
UNEVEN = [0.0, 0.28, 0.66, 1.0]


@pytest.mark.parametrize("turn", [0, 2])
def test_each_cell_is_cut_to_its_own_tile_and_turned_upright(tmp_path: Path, turn: int) -> None:
    sheet = load_sheet(put_sheet(tmp_path, NAMES, UNEVEN, turn))
    faces = list(cut_faces(tmp_path, [sheet]))
    assert [face.tile.code for face in faces] == ["1m", "2p", "3s", "E", "7h"]
    for face in faces:
        assert face.upright
        assert face.set_name == "drawn"
        height, width = face.image.shape[:2]
        lower = face.image[height // 2 :]
        assert np.abs(lower.astype(int) - COLOURS[face.tile.code]).max() < 60, (
            "a gap or a neighbour shows"
        )
        assert face.image[round(height * 0.14), width // 2].min() > 200, "the bar is not at the top"
    widths = {face.tile.code: face.image.shape[1] for face in faces}
    assert widths["2p"] == pytest.approx(widths["1m"] * 0.38 / 0.28, abs=4)


def test_sideways_grids_are_turned(tmp_path: Path) -> None:
    plain = load_sheet(put_sheet(tmp_path, NAMES, UNEVEN))
    lying = list(cut_faces(tmp_path, [plain]))
    turned = list(cut_faces(tmp_path, [load_sheet(put_sheet(tmp_path, NAMES, UNEVEN, turn=1))]))
    for before, after in zip(lying, turned, strict=True):
        assert np.array_equal(np.rot90(before.image), after.image)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"names": [["1m", "2p"], ["3s", "E", "7h"]]}, "names must hold 2 rows of 3"),
        ({"column_edges": [0.0, 0.5, 0.4, 1.0]}, "column_edges must be 4 rising"),
        ({"column_edges": [0.0, 1.0]}, "column_edges must be 4 rising"),
        ({"names": [["1m", "2p", ""], ["3s", "E", "9h"]]}, "9h"),
        ({"names": [["1m", "2p", ""], ["3s", "E", "?"]]}, "face-down"),
        ({"turn": 4}, "turn"),
    ],
)
def test_a_wrong_description_names_file_and_fault(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    path = put_sheet(tmp_path, NAMES, UNEVEN, changes=changes)
    with pytest.raises(SheetError) as caught:
        load_sheet(path)
    assert "sheet.json" in str(caught.value)
    assert said in str(caught.value)


def test_another_photo_than_the_described_one_is_refused(tmp_path: Path) -> None:
    sheet = load_sheet(put_sheet(tmp_path, NAMES, UNEVEN))
    (tmp_path / "sheet.png").write_bytes(b"not the same")
    with pytest.raises(SheetError, match="SHA-256"):
        list(cut_faces(tmp_path, [sheet]))
    (tmp_path / "sheet.png").unlink()
    with pytest.raises(SheetError, match="no photo"):
        list(cut_faces(tmp_path, [sheet]))


def test_faces_are_written_by_set_and_code_and_drawn_in_a_contact_sheet(tmp_path: Path) -> None:
    sheet = load_sheet(put_sheet(tmp_path, [["1m", "1m", "E"]], [0.0, 0.3, 0.6, 1.0]))
    faces = list(cut_faces(tmp_path, [sheet]))
    assert write_faces(faces, tmp_path / "faces") == 3
    assert sorted(path.name for path in (tmp_path / "faces" / "drawn").iterdir()) == [
        "1m_0.png",
        "1m_1.png",
        "E_0.png",
    ]
    drawn = contact_sheet(faces, cell=60, columns=2)
    assert drawn.shape == (22 + 2 * (60 + 18), 120, 3)
    assert np.abs(drawn[22 + 16 + 40, 12].astype(int) - COLOURS["1m"]).max() < 60


def test_the_command_reports_a_missing_photo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([str(tmp_path), str(tmp_path / "out.jpg")])
    assert stopped.value.code == 2
    assert "no photo" in capsys.readouterr().err


def test_described_sheets_hold_no_tile_more_often_than_a_set_does() -> None:
    sheets = load_sheets()
    assert len({sheet.set_name for sheet in sheets}) >= 18
    for sheet in sheets:
        counts = Counter(tile for grid in sheet.grids for _, _, tile in grid.cells())
        for tile, count in counts.items():
            # American sets hold three copies of a season; one photographed set has a six of dots in
            # place of a seven.
            allowed = (
                3
                if tile.is_flower
                else 5
                if (sheet.name, tile) == ("taobao-2647131904", Tile.P6)
                else 4
            )
            assert count <= allowed, f"{sheet.name}: {count} x {tile.code}"


@pytest.mark.shared
@pytest.mark.parametrize("sheet", load_sheets(), ids=lambda sheet: sheet.name)
def test_described_photos_give_upright_tiles(sheet: Sheet) -> None:
    photos = require_shared("photos")
    faces = list(cut_faces(photos, [sheet]))
    assert faces
    for face in faces:
        height, width = face.image.shape[:2]
        # The velvet box is seen at an angle, which shortens its tiles.
        least = 0.95 if sheet.set_name == "velvet" else 1.1
        assert least < height / width < 1.7, f"{face.tile.code} is {width} x {height}"
        # A tile's body is light, or black in a black set: a cell that lies off the grid shows table
        # or the gap between tiles.
        rim = np.concatenate([face.image[2:-2, 1], face.image[2:-2, -2]])
        if sheet.set_name == "black-riichi":
            assert np.median(rim) < 105, f"{face.tile.code}: light rim"
        else:
            assert np.median(rim) > 110, f"{face.tile.code}: dark rim"
