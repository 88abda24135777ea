"""Renders many scenes to a folder, on several processes, each scene from its own seed.

    python -m hupai.datasets.synthetic.generate OUT --count 4000 --seed 1 --faces DIR

OUT gets ``images/000000.jpg`` … and ``truth.jsonl``: per line the picture's name and per tile
[face, shown, quad of 8 numbers, visible share, sideways, in_hand, group, kind, claimed_from] and,
where a tile is a red five or stands, [red, standing]; see `hupai.datasets.synthetic.truth`, whose
`read_truth` reads it. With ``--tables`` whole tables are rendered as phones see them
(`hupai.datasets.synthetic.tables`), every tile with its quadrilateral; with ``--rows`` a few tiles
near the camera, most of them backs.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from hupai.datasets.synthetic.designs import DesignBank
from hupai.datasets.synthetic.layout.surroundings import hand_table, random_scene
from hupai.datasets.synthetic.picture import effects, occlusion
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.lens import random_lens, sharpen
from hupai.datasets.synthetic.picture.render import Light, render
from hupai.datasets.synthetic.scene import Rendered, Scene, TileTruth
from hupai.datasets.synthetic.tables.render import render_table
from hupai.datasets.synthetic.tables.rows import BLACK, render_rows
from hupai.datasets.synthetic.tables.scene import EMPTY_SHARE
from hupai.datasets.synthetic.tables.sets import BLACK_SHARE, in_black
from hupai.datasets.synthetic.truth import FILE, truth_record

LOW_SHARE = 0.3
"""Share of the scenes seen from 15 to 50 degrees, whatever view was drawn for them; `generate
--low-share` overrides it.
"""
DRAWN_SHARE = 0.35
"""Share of the scenes with drawn faces if there are pictures of others, on the command line."""
STRETCHED_SHARE = 0.25
"""Share of the scenes whose picture is stretched."""
_ASPECTS = (4 / 3, 4 / 3, 3 / 4, 1.0, 16 / 9, 9 / 16)


def random_view(rng: np.random.Generator, longer_side: int) -> View:
    """Draw the pose of a phone above a table: mostly steep, mostly from the photographer's seat."""
    aspect = float(_ASPECTS[int(rng.integers(len(_ASPECTS)))])
    width, height = (
        (longer_side, round(longer_side / aspect))
        if aspect >= 1
        else (round(longer_side * aspect), longer_side)
    )
    elevation = 90 - abs(float(rng.normal(0, 26)))
    azimuth = float(rng.normal(0, 14)) if rng.random() < 0.7 else float(rng.uniform(-180, 180))
    roll = (
        float(rng.normal(0, 4))
        if rng.random() < 0.75
        else float(rng.choice([90, 180, 270]) + rng.normal(0, 8))
    )
    return View(max(elevation, 22.0), azimuth, roll, float(rng.uniform(38, 78)), width, height)


def aim(rng: np.random.Generator, scene: Scene, view: View) -> Camera:
    """Aim a camera at the hand of a scene or, if there is none, at everything."""
    subject = [t for t in scene.tiles if t.in_hand] or list(scene.tiles)
    points = np.array([[t.x, t.y, 0.0] for t in subject])
    pad = 0.5 + float(rng.uniform(0.2, 0.8))
    spread = np.vstack(
        [points + np.array([dx, dy, 0.0]) for dx in (-pad, pad) for dy in (-pad, pad)]
    )
    close = scene.layout == "close"
    fill = float(rng.uniform(0.6, 1.15)) if close else float(1.0 - 0.55 * rng.random() ** 1.6)
    shift = rng.normal(0, 0.06 * (1.05 - min(fill, 1.0)) / 0.3, 2)
    return Camera(view, spread, fill, (float(shift[0]), float(shift[1])))


def random_light(rng: np.random.Generator) -> Light:
    """Draw a lamp somewhere above."""
    return Light(
        float(rng.uniform(0, 2 * np.pi)),
        float(rng.uniform(0.35, 0.95)),
        float(rng.uniform(0.35, 0.75)),
        float(rng.uniform(0, 0.55)),
    )


def render_random(
    seed: int,
    index: int,
    bank: DesignBank,
    longer_side: int = 960,
    hands: bool = False,
    low_share: float = LOW_SHARE,
    black: float = 0.0,
) -> Rendered:
    """Render scene number `index` of a seed; with `hands`, one with a revealed hand.

    The same arguments give the same picture, provided that faces and fonts are the same. A share
    `black` of the sets with printed faces is black.
    """
    rng = np.random.default_rng([seed, index])
    design = bank.pick(rng)
    scene = (hand_table if hands else random_scene)(rng, design.proportions)
    view = random_view(rng, longer_side)
    # Random choices added later use a separate generator, so that a seed still gives the same
    # tables, designs and light.
    more = np.random.default_rng([seed, index, 1])
    if more.random() < low_share:
        view = replace(view, elevation=float(more.uniform(15, 50)))
    if black and more.random() < black:
        design = in_black(design, more)
    camera = aim(rng, scene, view)
    table = effects.background(rng, view.height, view.width)
    light = random_light(rng)
    drawn = render(scene, design, camera, light, table, rng)
    image, truth = drawn.image, drawn.tiles
    if rng.random() < 0.07:
        image, truth = _touched(rng, image, truth)
    lens = random_lens(rng)
    truth = tuple(replace(t, quad=lens.points(t.quad, view.width, view.height)) for t in truth)
    photo = effects.photograph(rng, sharpen(rng, lens.picture(image)), float(rng.uniform(0.3, 1.1)))
    if more.random() < STRETCHED_SHARE:
        photo, truth = stretched(photo, truth, float(np.exp(more.uniform(-0.65, 0.65))))
    return Rendered(photo, truth, scene)


def stretched(
    photo: NDArray[np.uint8], truth: tuple[TileTruth, ...], factor: float
) -> tuple[NDArray[np.uint8], tuple[TileTruth, ...]]:
    """Squeeze a picture and its truth to `factor` of the width, or to 1/factor of the height.

    Public photo sets resize photos of every shape to a square.
    """
    by = np.array([min(factor, 1.0), min(1 / factor, 1.0)], np.float32)
    height, width = photo.shape[:2]
    size = (round(width * float(by[0])), round(height * float(by[1])))
    squeezed = cv2.resize(photo, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    return squeezed, tuple(replace(t, quad=t.quad * by) for t in truth)


def _touched(
    rng: np.random.Generator, image: NDArray[np.uint8], truth: tuple[TileTruth, ...]
) -> tuple[NDArray[np.uint8], tuple[TileTruth, ...]]:
    """Draw fingers that point at a tile or hold it; the tiles below them are less visible."""
    height, width = image.shape[:2]
    inside = [t for t in truth if t.visible > 0.5]
    side = (
        float(np.median([np.linalg.norm(t.quad[0] - t.quad[1]) for t in inside]))
        if inside
        else width * 0.05
    )
    at = (
        inside[int(rng.integers(len(inside)))].quad.mean(0)
        if inside
        else rng.uniform(0.2, 0.8, 2) * (width, height)
    )
    spot = at + rng.normal(0, 1.2 * side, 2)
    covered = occlusion.fingers(
        rng, image, (float(spot[0]), float(spot[1])), side * float(rng.uniform(0.6, 1.0))
    )
    return image, tuple(
        replace(t, visible=t.visible * occlusion.visible_share(t.quad, covered)) for t in truth
    )


@dataclass(frozen=True, slots=True)
class Special:
    """What scenes, or only rows and whole tables, show more or less often than usual.

    Attributes:
        black: share of black sets; None for the usual one, which is 0 except in rows and on tables.
        rare: whether backs are mostly of rare materials.
        empty: share of whole tables without a tile; None for the usual one.
        tight: share of the sets whose printed faces reach the tile's edge, in all scenes.
    """

    black: float | None = None
    rare: bool = False
    empty: float | None = None
    tight: float = 0.0


class SceneKind(StrEnum):
    """What scenes show."""

    ANY = "any"
    """Tiles of all kinds on a table, most of them with a revealed hand."""
    HANDS = "hands"
    """A revealed hand, without loose tiles or trays."""
    ROWS = "rows"
    """A few tiles near the camera, most of them backs."""
    TABLES = "tables"
    """A whole table as phones see it."""


@dataclass(frozen=True, slots=True)
class Material:
    """What scenes are rendered with.

    Attributes:
        faces: folders of face pictures, one per tile set.
        drawn_share: share of the scenes with drawn faces; all are, if there are no folders.
        cloths: photos of cloths on which some rows and tables lie.
        special: what is shown more or less often than usual.
    """

    faces: tuple[Path, ...] = ()
    drawn_share: float = 1.0
    cloths: tuple[Path, ...] = ()
    special: Special = Special()


@dataclass(frozen=True, slots=True)
class SceneJob:
    """One scene to render.

    Attributes:
        out: folder to write to.
        seed, index: determine its random choices; its file is named by the index.
        side: longer side of the picture, pixels.
        kind: what it shows.
        low_share: share of the scenes seen from 15 to 50 degrees; for `ANY` and `HANDS`.
        special: overrides that of the material, except its share of tight sets.
    """

    out: Path
    seed: int
    index: int
    side: int
    kind: SceneKind
    low_share: float = LOW_SHARE
    special: Special | None = None


class _Renderer:
    """Renders scenes with faces that are loaded once."""

    def __init__(self, material: Material) -> None:
        special = material.special
        self._bank = DesignBank(list(material.faces), material.drawn_share, special.tight)
        self._cloths = list(material.cloths)
        self._special = special

    def render(self, job: SceneJob) -> Rendered:
        special = job.special or self._special
        black, rare, empty = special.black, special.rare, special.empty
        where = (job.seed, job.index, self._bank, job.side)
        if job.kind is SceneKind.TABLES:
            share = BLACK_SHARE if black is None else black
            without = EMPTY_SHARE if empty is None else empty
            return render_table(*where, self._cloths, share, rare, without)
        if job.kind is SceneKind.ROWS:
            return render_rows(*where, self._cloths, BLACK if black is None else black, rare)
        hands = job.kind is SceneKind.HANDS
        return render_random(*where, hands, job.low_share, black or 0.0)


_renderer: _Renderer | None = None
"""The renderer of this process, see `start_worker`."""


def start_worker(material: Material) -> None:
    """Load in this process what `render_one` renders with."""
    global _renderer
    cv2.setNumThreads(1)
    _renderer = _Renderer(material)


def render_one(job: SceneJob) -> str:
    """Render a scene and write its picture; return its line of `truth.jsonl`."""
    assert _renderer is not None
    rendered = _renderer.render(job)
    name = f"{job.index:06d}.jpg"
    cv2.imwrite(
        str(job.out / "images" / name),
        cv2.cvtColor(rendered.image, cv2.COLOR_RGB2BGR),
        [cv2.IMWRITE_JPEG_QUALITY, 90],
    )
    return json.dumps(truth_record(name, rendered), ensure_ascii=False)


def generate(
    out: Path,
    count: int,
    seed: int,
    kind: SceneKind = SceneKind.ANY,
    side: int = 960,
    material: Material = Material(),
    *,
    low_share: float = LOW_SHARE,
    workers: int = 1,
    start: int = 0,
) -> float:
    """Render scenes to a folder; what is already there is kept.

    Args:
        out: the folder.
        count: number of scenes.
        seed, kind, side, low_share: as in `SceneJob`.
        material: what they are rendered with.
        workers: number of processes.
        start: index of the first scene.

    Returns:
        Scenes per second over all workers.
    """
    (out / "images").mkdir(parents=True, exist_ok=True)
    begun = time.perf_counter()
    jobs = [SceneJob(out, seed, i, side, kind, low_share) for i in range(start, start + count)]
    # Spawned, not forked: a fork of a process in which OpenCV has started threads can hang.
    spawn = get_context("spawn")
    pool = ProcessPoolExecutor(workers, spawn, initializer=start_worker, initargs=(material,))
    with pool, (out / FILE).open("a", encoding="utf-8") as truth:
        lines = pool.map(render_one, jobs, chunksize=8)
        for line in track(lines, total=count, description="scenes"):
            truth.write(line + "\n")
    return count / (time.perf_counter() - begun)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0, help="index of the first scene")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--faces", type=Path, nargs="*", default=[], help="folders of face pictures, one a tile set"
    )
    parser.add_argument("--drawn-share", type=float, default=DRAWN_SHARE)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--size", type=int, default=960, help="longer side in pixels")
    parser.add_argument(
        "--hands", action="store_true", help="revealed hands only, no loose tiles or trays"
    )
    parser.add_argument(
        "--low-share", type=float, default=LOW_SHARE, help="share seen from 15 to 50 degrees"
    )
    parser.add_argument("--tables", action="store_true", help="whole tables as phones see them")
    parser.add_argument(
        "--rows", action="store_true", help="few tiles near the camera, most of them backs"
    )
    parser.add_argument("--black", type=float, help="share of black sets")
    parser.add_argument(
        "--rare", action="store_true", help="rows and tables: rare backs, inks and low cameras"
    )
    parser.add_argument("--empty", type=float, help="share of whole tables without a tile")
    parser.add_argument(
        "--tight", type=float, default=0.0, help="share of sets with faces up to the tile's edge"
    )
    parser.add_argument(
        "--cloth", type=Path, help="folder of hupai.datasets.real.cloth, for tables to lie on"
    )
    a = parser.parse_args()
    kinds = {"tables": SceneKind.TABLES, "rows": SceneKind.ROWS, "hands": SceneKind.HANDS}
    kind = next((kind for name, kind in kinds.items() if getattr(a, name)), SceneKind.ANY)
    cloths = tuple(sorted(a.cloth.iterdir())) if a.cloth else ()
    special = Special(a.black, a.rare, a.empty, a.tight)
    material = Material(tuple(a.faces), a.drawn_share, cloths, special)
    how = {"low_share": a.low_share, "workers": a.workers, "start": a.start}
    rate = generate(a.out, a.count, a.seed, kind, a.size, material, **how)
    print(f"{a.count} scenes, {rate:.1f} scenes/s")


if __name__ == "__main__":
    main()
