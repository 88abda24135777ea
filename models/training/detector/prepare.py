"""Makes the detector's training folder from rendered scenes and real photos.

python -m hupai.models.training.detector.prepare OUT --scenes DIR... [--closer DIR...] [--photos
DIR...] [--repeat-photos 1] [--check DIR]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from hupai.models.training.detector import data, later_pass_data


def prepare(
    out: Path,
    scenes: list[Path],
    photos: list[Path],
    check: Path | None,
    repeat_photos: int,
    longest: int,
    closer: Sequence[Path] = (),
) -> None:
    """Write OUT/images, OUT/labels, the lists train.txt and val.txt, and data.yaml."""
    for folder in scenes:
        print(f"{folder}: {data.synthetic(folder, out, longest)} scenes")
    for folder in closer:
        print(f"{folder}: {later_pass_data.closer(folder, out)} scenes as later looks show them")
    for folder in photos:
        print(f"{folder}: {data.real_photos(folder, out, longest)} photos")
        if folder.name == "train":
            print(f"{folder}: {data.clutter('train', folder, out, longest)} pieces without a tile")
    names = sorted(p.name for p in (out / "images").glob("*.jpg"))
    real = {f.name + "_" for f in photos}
    lines = []
    for name in names:
        times = repeat_photos if any(name.startswith(prefix) for prefix in real) else 1
        lines += [f"./images/{name}"] * times
    (out / "train.txt").write_text("\n".join(lines) + "\n")
    validation = [f"./images/{name}" for name in names[:: max(1, len(names) // 24)]]
    if check is not None:
        data.real_photos(check, out / "check", longest)
        validation = [
            f"./check/images/{p.name}" for p in sorted((out / "check" / "images").glob("*.jpg"))
        ]
    (out / "val.txt").write_text("\n".join(validation) + "\n")
    (out / "data.yaml").write_text(
        f"path: {out.resolve()}\ntrain: train.txt\nval: val.txt\nnames:\n  0: tile\n  1: back\n"
    )


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=Path, nargs="*", default=[])
    parser.add_argument(
        "--closer",
        type=Path,
        nargs="*",
        default=[],
        help="scenes to show as later looks do, see look_data",
    )
    parser.add_argument("--photos", type=Path, nargs="*", default=[])
    parser.add_argument("--check", type=Path)
    parser.add_argument("--repeat-photos", type=int, default=1, help="how often a photo is listed")
    parser.add_argument("--size", type=int, default=640, help="longer side of the stored pictures")
    a = parser.parse_args()
    prepare(a.out, a.scenes, a.photos, a.check, a.repeat_photos, a.size, a.closer)


if __name__ == "__main__":
    main()
