"""Patches of one family's faces in many tile sets.

    python -m hupai.models.training.families.patches FAMILY OUT [--faces DIR...] [--photos DIR...]

Two kinds of sets are drawn. In ``wide`` ones only the character identifies a flower: any picture
may be on any flower, in any order of numbers; and numerals have more forms
(`hupai.datasets.faces.drawing.wide_style`). ``drawn`` ones are as the generator usually draws sets.
Small pictures are rendered of both, and of the given faces; patches are cut from them and from
labelled photos. OUT gets wide.npz, drawn.npz, faces.npz, photos-0.npz and so on; wide-check.npz and
drawn-check.npz show further sets, for measuring. For a family whose network has an output for other
faces, others-wide.npz, others-drawn.npz, others-faces.npz, others-photos-0.npz and so on show all
faces and backs that are not in the family.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2

from hupai.datasets.faces.from_sources import drawn
from hupai.datasets.synthetic.designs import DesignBank, face_files
from hupai.models.training.classifier.crops import CONTEXT, Patches, from_photos
from hupai.models.training.classifier.face_scenes import render_faces
from hupai.models.training.classifier.photo_outlines import open_detector
from hupai.scoring.tiles import Suit, Tile
from hupai.vision.detection.families import FAMILIES, Family
from hupai.vision.detection.tile_detector import DetectorNetwork

HEIGHTS = (24.0, 150.0)
"""Range of the heights of tiles on the pictures, pixels; smaller characters cannot be read."""

STYLES = 1600
"""Number of sets that are drawn, half of each kind; an eighth of them is kept for measuring."""

PICTURES = 5000
"""Number of pictures of wide sets; there are half as many of the others."""

_SEEDS = {"wide": 5101, "drawn": 5202}
"""Seeds of the styles of each kind."""

_FIRST_OF_OTHERS = 100_000
"""Number of the first style of sets of which the faces outside the family are drawn."""

_MISTAKABLE = {Tile.S1: 5, Tile.BACK: 3}
"""How many times as often as other faces one outside a family is shown; all faces with characters
are shown twice as often.
"""


def folders_with(family: Family, folders: list[Path]) -> list[Path]:
    """Return the folders that hold at least half of the family's faces."""
    return [
        folder
        for folder in folders
        if sum(tile in family.tiles for tile in face_files(folder)) >= len(family.tiles) // 2
    ]


def make(
    family: Family,
    out: Path,
    faces: list[Path],
    photos: list[Path],
    styles: int = STYLES,
    pictures: int = PICTURES,
    detector: DetectorNetwork | None = None,
) -> list[Path]:
    """Draw, render and cut everything; return the files to train on.

    Args:
        family: the faces.
        out: gets the files, and ``faces`` with what is drawn.
        faces: folders of faces, see `hupai.datasets.synthetic.designs.PictureFaces`; those with
            less than half of the family are left out.
        photos: labelled folders.
        styles: see `STYLES`.
        pictures: see `PICTURES`.
        detector: finds the tiles of the photos; None to cut them by their labels.

    Raises:
        ValueError: there are folders of faces, but none with half of the family.
    """

    side = round(CONTEXT * family.side)

    def rendered(
        bank: DesignBank, count: int, seed: int, tiles: Sequence[Tile] = family.tiles
    ) -> Patches:
        return render_faces(bank, count, seed, tiles, HEIGHTS, side)

    others = outside(family) if family.judged_from is not None else []
    real = folders_with(family, faces)
    if faces and not real:
        raise ValueError(
            f"none of the folders of faces holds half of the {family.name}: name others"
        )
    made = []
    for number, (kind, seed) in enumerate(_SEEDS.items()):
        folder = out / "faces"
        drawn(folder, styles // 2, seed, kind == "wide", family.tiles)
        sets = sorted(folder.glob(f"{kind}-*"))
        kept = max(1, len(sets) // 8)
        count = pictures if kind == "wide" else pictures // 2
        for name, some, share in ((kind, sets[:-kept], 1.0), (f"{kind}-check", sets[-kept:], 0.05)):
            bank = DesignBank(some, 1.0 if kind == "drawn" else 0.0)
            patches = rendered(bank, max(1, int(count * share)), 61 + number)
            patches.save(out / f"{name}.npz")
        made.append(out / f"{kind}.npz")
        if others:
            made.append(out / f"others-{kind}.npz")
            few, folder = max(1, styles // 4), out / "others"
            drawn(folder, few, seed, kind == "wide", tuple(set(others)), _FIRST_OF_OTHERS)
            bank = DesignBank(sorted(folder.glob(f"{kind}-*")))
            rendered(bank, max(1, count // 3), 63 + number, others).save(made[-1])
    if real:
        made.append(out / "faces.npz")
        rendered(DesignBank(real, 0.0), pictures // 2, 65).save(made[-1])
        if others:
            made.append(out / "others-faces.npz")
            rendered(DesignBank(faces, 0.0), pictures // 4, 66, others).save(made[-1])
    for number, folder in enumerate(photos):
        made.append(out / f"photos-{number}.npz")
        from_photos(folder, side=side, faces=family.tiles, detector=detector).save(made[-1])
        if others:
            made.append(out / f"others-photos-{number}.npz")
            from_photos(folder, side=side, faces=set(others), detector=detector).save(made[-1])
    return made


def outside(family: Family) -> list[Tile]:
    """List the faces outside a family, and the back; those often mistaken for it several times."""
    characters = {t for t in Tile if t.suit is Suit.CHARACTERS or t.is_honour}
    return [
        tile
        for tile in Tile
        if tile not in family.tiles
        for _ in range(_MISTAKABLE.get(tile, 2 if tile in characters else 1))
    ]


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("family", choices=list(FAMILIES))
    parser.add_argument("out", type=Path)
    parser.add_argument("--faces", type=Path, nargs="*", default=[], help="folders of faces")
    parser.add_argument("--photos", type=Path, nargs="*", default=[], help="labelled folders")
    parser.add_argument("--styles", type=int, default=STYLES)
    parser.add_argument("--pictures", type=int, default=PICTURES)
    parser.add_argument("--outlines", metavar="MODEL", help="weights that find the tiles of photos")
    a = parser.parse_args()
    cv2.setNumThreads(1)
    family = FAMILIES[a.family]
    detector = open_detector(a.outlines) if a.outlines else None
    for file in make(family, a.out, a.faces, a.photos, a.styles, a.pictures, detector):
        print(file)


if __name__ == "__main__":
    main()
