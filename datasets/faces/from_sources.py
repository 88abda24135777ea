"""Extracts faces for the generator from the available sources, one folder per tile set.

    python -m hupai.datasets.faces.from_sources OUT [--shared DIR] [--styles 120]

Sources: labelled crops and sheets of real tiles (see `hupai.datasets.real.sheets`), public-domain
vector art, the tile sets of Debian's package kdegames-mahjongg-data-kf5 where installed, and random
styles of the project's own drawing program. The results are for training and are never committed.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
from rich.progress import track

from hupai.datasets.faces.drawing import FontError, draw, random_style, wide_style
from hupai.datasets.faces.raster import FACE_HEIGHT, rasterise
from hupai.datasets.real.patches import crop_patches
from hupai.datasets.real.sheets import cut_faces
from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile

_KDE = Path("/usr/share/kmahjongglib/tilesets")
_KDE_SETS = ("default", "traditional")


def crops(shared: Path, out: Path) -> int:
    """Write the labelled crops, one folder per set; return how many.

    Faces that carry advertising are skipped, and wrong labels are corrected by the patch file.
    """
    folder = shared / "photos" / "crops"
    labels: dict[str, str] = json.loads((folder / "labels.json").read_text())
    patches = crop_patches()
    sets = json.loads((folder / "sets.json").read_text())
    written = 0
    for name, files in sets["sets"].items():
        unused = set(sets.get("unused_faces", {}).get(name, ()))
        for file in files:
            tile = patches.get(file, Tile.from_code(labels[file]))
            if tile is None or tile.code in unused:
                continue
            image = cv2.imread(str(folder / "images" / file))
            written += _write(out / f"crops-{name}", tile.code, Path(file).stem, image)
    return written


def sharp_crops(shared: Path, out: Path) -> int:
    """Write the sharp faces of one more set; none if the folder is missing."""
    folder = shared / "photos" / "crops-2"
    if not (folder / "labels.json").is_file():
        return 0
    labels: dict[str, str] = json.loads((folder / "labels.json").read_text())
    return sum(
        _write(out / "crops-kc", code, "0", cv2.imread(str(folder / "images" / file)))
        for file, code in labels.items()
    )


def fluffystuff(shared: Path, out: Path) -> int:
    """Write the public-domain riichi faces, transparent, from their PNG export."""
    names = {
        f"{n}{s}": f"{word}{n}"
        for s, word in (("m", "Man"), ("p", "Pin"), ("s", "Sou"))
        for n in range(1, 10)
    }
    honours = ("Ton", "Nan", "Shaa", "Pei", "Chun", "Hatsu", "Haku")
    names |= dict(zip("ESWNCFP", honours, strict=True))
    folder = next((p for p in (shared / "art" / "fluffystuff").rglob("Export/Regular")), None)
    if folder is None:
        return 0
    written = 0
    for code, name in names.items():
        path = folder / f"{name}.png"
        if path.exists():
            written += _write(
                out / "fluffystuff", code, "0", cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
            )
    return written


def kmahjongg(out: Path) -> int:
    """Write winds, dragons and the bird of KDE's tile sets, and the flowers of the default one.

    Each face is an SVG element with a known id. The suits' faces consist of several elements
    and are skipped.
    """
    winds = {"N": "WIND_1", "S": "WIND_2", "E": "WIND_3", "W": "WIND_4"}
    ids = winds | {"F": "DRAGON_2", "C": "DRAGON_3", "1s": "BAMBOO_1"}
    plants = {"5h": "FLOWER_1", "6h": "FLOWER_2", "8h": "FLOWER_3", "7h": "FLOWER_4"}
    flowers = plants | {f"{n}h": f"SEASON_{n}" for n in range(1, 5)}
    written = 0
    for name in _KDE_SETS:
        path = _KDE / f"{name}.svgz"
        if not path.exists():
            continue
        svg = gzip.decompress(path.read_bytes()).decode("utf-8")
        for code, element in (ids | flowers if name == "default" else ids).items():
            image = _svg_element(svg, element)
            if image is not None:
                written += _write(out / f"kde-{name}", code, "0", image)
    return written


def _svg_element(svg: str, element: str) -> np.ndarray | None:
    """Rasterise one element of a drawing, cropped to its ink, BGRA; None if there is no ink."""
    root = ElementTree.fromstring(svg)
    parents = {child: parent for parent in root.iter() for child in parent}
    node = next((n for n in root.iter() if n.get("id") == element), None)
    if node is None:
        return None
    while node in parents:
        parent = parents[node]
        for sibling in list(parent):
            if sibling is not node and not sibling.tag.endswith("}defs"):
                parent.remove(sibling)
        node = parent
    rgba = rasterise(ElementTree.tostring(root, encoding="unicode"), 2000)
    ys, xs = np.nonzero(rgba[..., 3] > 8)
    if len(ys) == 0:
        return None
    return cv2.cvtColor(rgba[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1], cv2.COLOR_RGBA2BGRA)


def sheets(shared: Path, out: Path) -> int:
    """Write the faces cut from the photographed sheets."""
    written = 0
    for number, face in enumerate(cut_faces(shared / "photos")):
        written += _write(
            out / f"sheet-{face.set_name}",
            face.tile.code,
            str(number),
            cv2.cvtColor(face.image, cv2.COLOR_RGB2BGR),
        )
    return written


WIDE_SEED = 81
"""Seed of the styles of `variety.wide_style`."""


def drawn(
    out: Path,
    styles: int,
    seed: int = 7,
    wide: bool = False,
    tiles: tuple[Tile, ...] = (*PLAYABLE, *FLOWERS),
    first: int = 0,
) -> int:
    """Draw random styles with the project's own drawing program.

    Args:
        out: gets a folder for each style.
        styles: number of styles.
        seed: seed of the styles.
        wide: draw them with `variety.wide_style`.
        tiles: the faces to draw.
        first: number of the first style; different numbers give different sets for the same seed.

    Returns:
        The number of faces written.
    """
    draw_style = wide_style if wide else random_style
    written = 0
    for number in track(range(first, first + styles), description="styles"):
        style = draw_style(np.random.default_rng([seed, number]))
        for tile in tiles:
            try:
                rgba = rasterise(draw(tile, style), FACE_HEIGHT)
            except FontError:
                continue  # a font of this machine lacks the character; another set has that face
            written += _write(
                out / f"{'wide' if wide else 'drawn'}-{number:03d}",
                tile.code,
                "0",
                cv2.cvtColor(rgba, cv2.COLOR_RGBA2BGRA),
            )
    return written


def _write(folder: Path, code: str, suffix: str, image: np.ndarray | None) -> int:
    if image is None or image.size == 0:
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / f"{Tile.from_code(code).code}_{suffix}.png"), image)
    return 1


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--styles", type=int, default=120)
    parser.add_argument("--first-style", type=int, default=0, help="number of the first style")
    parser.add_argument(
        "--only",
        nargs="*",
        choices=["crops", "crops-2", "fluffystuff", "kmahjongg", "sheets", "drawn", "wide"],
    )
    args = parser.parse_args()
    jobs: dict[str, Callable[[], int]] = {
        "crops": lambda: crops(args.shared, args.out),
        "crops-2": lambda: sharp_crops(args.shared, args.out),
        "fluffystuff": lambda: fluffystuff(args.shared, args.out),
        "kmahjongg": lambda: kmahjongg(args.out),
        "sheets": lambda: sheets(args.shared, args.out),
        "drawn": lambda: drawn(args.out, args.styles, first=args.first_style),
        "wide": lambda: drawn(args.out, args.styles, WIDE_SEED, wide=True, first=args.first_style),
    }
    for name, job in jobs.items():
        if not args.only or name in args.only:
            print(f"{name}: {job()} faces")


if __name__ == "__main__":
    main()
