"""Renders scenes continuously for a training that runs at the same time.

    python -m hupai.models.training.stream.produce OUT --faces DIR... [--photos DIR] --seconds 400

Each worker renders a few dozen scenes at a time and writes them to OUT as one file, which
`hupai.models.training.stream.detector` reads and deletes. Photos come first, once; the names of
their files begin with `real`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from hupai.datasets.synthetic.generate import (
    Material,
    SceneJob,
    SceneKind,
    Special,
    render_one,
    start_worker,
)
from hupai.datasets.synthetic.truth import FILE
from hupai.models.training.detector import data
from hupai.models.training.detector.painted import painted_photos
from hupai.models.training.stream.chunks import write_pictures

SCENES = 40
"""Scenes per file."""

KINDS = (
    *4 * (SceneKind.HANDS,),
    SceneKind.ANY,
    *2 * (SceneKind.TABLES,),
    SceneKind.ROWS,
)
"""Kinds of scenes in turn."""

BLACK_SHARES: tuple[float | None, ...] = (None, 0.6, None, None, None, 0.4, None, None)
"""Shares of black sets among scenes of each of these kinds, if more of them are wanted; None for
the usual one."""

LOW_SHARES = (0.45, 0.85, 0.3, 0.6)
"""Shares of scenes from low cameras, in turn."""

SIDES = (768, 960, 1120)
"""Longer sides of rendered pictures, in turn, pixels."""

TIGHT = 0.2
"""Usual share of the sets whose printed faces reach the tile's edge."""

MOST_WAITING = 60
"""Default number of unread files from which rendering waits."""

_PAINTINGS = 2
"""Times that each photo is painted over."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker does.

    Attributes:
        out: folder to write to.
        number, count: which worker, and how many there are.
        faces: folders of face pictures.
        cloths: pieces of cloth for tables.
        photos: labelled folder of photos, None for none.
        until: time at which it stops, seconds since the epoch.
        seed: seed of the scenes.
        drawn_share: share of the scenes with drawn faces.
        most_waiting: number of unread files from which it waits.
        tight: share of the sets whose printed faces reach the tile's edge.
        varied: whether more sets than usual are black (`BLACK_SHARES`), and half of the backs of
            rare materials.
    """

    out: Path
    number: int
    count: int
    faces: tuple[str, ...]
    cloths: tuple[str, ...]
    photos: Path | None
    until: float
    seed: int
    drawn_share: float = 0.5
    most_waiting: int = MOST_WAITING
    tight: float = TIGHT
    varied: bool = False


def start(job: Job) -> None:
    """Load the faces and cloths that this process renders with."""
    faces, cloths = (tuple(map(Path, listed)) for listed in (job.faces, job.cloths))
    start_worker(Material(faces, job.drawn_share, cloths, Special(tight=job.tight)))


def work(job: Job) -> None:
    """Write the worker's share of the photos, then scenes until time is up."""
    start(job)
    os.nice(5)  # the training goes first
    with tempfile.TemporaryDirectory() as folder:
        if job.photos is not None:
            _photos(job, Path(folder) / "photos")
    turn = job.number
    while time.time() < job.until:
        if len(list(job.out.glob("*.npz"))) > job.most_waiting:
            time.sleep(1)
            continue
        with tempfile.TemporaryDirectory() as folder:
            write_scenes(job, Path(folder), turn)
        turn += job.count


def write_scenes(job: Job, folder: Path, turn: int) -> None:
    """Render and write the scenes of a turn."""
    kind = KINDS[turn % len(KINDS)]
    low = LOW_SHARES[turn // len(KINDS) % len(LOW_SHARES)]
    side = SIDES[turn // (len(KINDS) * len(LOW_SHARES)) % len(SIDES)]
    scenes = folder / f"{kind}-{turn}"
    (scenes / "images").mkdir(parents=True)
    first = turn * SCENES
    special = None
    if job.varied:
        black = BLACK_SHARES[turn % len(KINDS)]
        special = Special(black=black, rare=turn // len(KINDS) % 2 == 0)
    lines = [
        render_one(SceneJob(scenes, job.seed, first + i, side, kind, low, special))
        for i in range(SCENES)
    ]
    (scenes / FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")
    data.synthetic(scenes, folder / "pictures")
    write_pictures(folder / "pictures", job.out / f"pictures-{turn:06d}.npz")


def _photos(job: Job, folder: Path) -> None:
    """Write the worker's share of the photos, in several views and painted over."""
    assert job.photos is not None
    part = folder / job.photos.name
    for name in ("images", "labels"):
        (part / name).mkdir(parents=True)
    for file in [*job.photos.glob("*.*"), *job.photos.parent.glob("classes.txt")]:
        shutil.copy(file, part)
    for image in sorted((job.photos / "images").iterdir())[job.number :: job.count]:
        shutil.copy(image, part / "images")
        label = job.photos / "labels" / f"{image.stem}.txt"
        if label.exists():
            shutil.copy(label, part / "labels")
    out = folder / "pictures"
    data.real_photos(part, out, rng_seed=5 + job.number)
    data.clutter("train", part, out)
    for copy in range(_PAINTINGS):
        painted_photos(part, out, rng_seed=8 + copy)
    write_pictures(out, job.out / f"real-pictures-{job.number:03d}.npz")


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--faces", type=Path, nargs="+", required=True)
    parser.add_argument("--cloth", type=Path, help="folder of hupai.datasets.real.cloth")
    parser.add_argument("--photos", type=Path, help="labelled folder")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=901)
    parser.add_argument(
        "--tight", type=float, default=TIGHT, help="share of sets printed up to the tile's edge"
    )
    parser.add_argument(
        "--varied", action="store_true", help="more black sets, and backs of rare materials"
    )
    parser.add_argument(
        "--most-waiting", type=int, default=MOST_WAITING, help="most files not read yet"
    )
    a = parser.parse_args(arguments)
    a.out.mkdir(parents=True, exist_ok=True)
    cloths = tuple(str(p) for p in sorted(a.cloth.iterdir())) if a.cloth else ()
    faces = tuple(str(folder) for folder in a.faces)
    until = time.time() + a.seconds
    jobs = [
        Job(
            a.out,
            k,
            a.workers,
            faces,
            cloths,
            a.photos,
            until,
            a.seed,
            most_waiting=a.most_waiting,
            tight=a.tight,
            varied=a.varied,
        )
        for k in range(a.workers)
    ]
    processes = [get_context("spawn").Process(target=work, args=(job,)) for job in jobs]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit("a worker failed; its traceback is above")


if __name__ == "__main__":
    main()
