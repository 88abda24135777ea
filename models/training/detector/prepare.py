"""Makes the detector's training folder from rendered scenes and real photos.

python -m hupai.models.training.detector.prepare OUT --scenes DIR... [--photos DIR...] [--check DIR]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from hupai.models.training.detector import data
from hupai.models.training.detector.painted import painted_photos


def prepare(
    out: Path,
    scenes: Sequence[Path],
    photos: Sequence[Path] = (),
    check: Path | None = None,
    repeat_photos: int = 1,
    longest: int = 640,
    painted: int = 0,
) -> None:
    """Write OUT/images, OUT/labels, the lists train.txt and val.txt, and data.yaml.

    Args:
        out: the folder to make.
        scenes: folders of rendered scenes.
        photos: labelled folders; from `train` its marked clutter is used too.
        check: labelled folder to validate on; without one, some of the training pictures.
        repeat_photos: how often each photo is listed.
        longest: longer side of the stored pictures in pixels.
        painted: how often each photo is painted over with backs, see
            `hupai.models.training.detector.painted`.
    """
    for folder in scenes:
        print(f"{folder}: {data.synthetic(folder, out, longest)} scenes")
    for folder in photos:
        print(f"{folder}: {data.real_photos(folder, out, longest)} photos")
        if folder.name == "train":
            print(f"{folder}: {data.clutter('train', folder, out, longest)} pieces without a tile")
        for copy in range(painted):
            print(f"{folder}: {painted_photos(folder, out, longest, 8 + copy)} painted over")
    names = sorted(p.name for p in (out / "images").glob("*.jpg"))
    real = tuple(f"{folder.name}_" for folder in photos)
    listed = [n for name in names for n in [name] * (repeat_photos if name.startswith(real) else 1)]
    _write_list(out / "train.txt", "images", listed)
    if check is None:
        _write_list(out / "val.txt", "images", names[:: max(1, len(names) // 24)])
    else:
        data.real_photos(check, out / "check", longest)
        found = sorted(p.name for p in (out / "check" / "images").glob("*.jpg"))
        _write_list(out / "val.txt", "check/images", found)
    (out / "data.yaml").write_text(
        f"path: {out.resolve()}\ntrain: train.txt\nval: val.txt\nnames:\n  0: tile\n  1: back\n"
    )


def _write_list(path: Path, folder: str, names: Sequence[str]) -> None:
    path.write_text("".join(f"./{folder}/{name}\n" for name in names))


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=Path, nargs="*", default=[])
    parser.add_argument("--photos", type=Path, nargs="*", default=[])
    parser.add_argument("--check", type=Path)
    parser.add_argument("--repeat-photos", type=int, default=1, help="how often a photo is listed")
    parser.add_argument("--size", type=int, default=640, help="longer side of the stored pictures")
    parser.add_argument(
        "--painted", type=int, default=0, help="how often a photo is painted over with backs"
    )
    a = parser.parse_args()
    prepare(a.out, a.scenes, a.photos, a.check, a.repeat_photos, a.size, a.painted)


if __name__ == "__main__":
    main()
