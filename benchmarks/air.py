"""Measures whether anything wrong goes on air: videos of many hands with camera cuts, read by the
networks.

Each hand is shown after a cut, on another cloth and in other light. Three hands in four are then
disturbed: an arm reaches over the hand, the light changes, or the camera moves. Accepted readings
are compared with the true tiles. With ``auto: all`` viewers would see all of them, with ``auto:
certain`` only those called certain.

    python -m benchmarks.air [--hands 40]
    python -m benchmarks.air --photos FOLDER     # a labelled folder
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.designs import project_design
from hupai.datasets.synthetic.layout.compose import HandStyle, lay_hand
from hupai.datasets.synthetic.picture import effects
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.render import Light, render
from hupai.datasets.synthetic.scene import Scene
from hupai.models import registry
from hupai.models.evaluation.labelled_folder import read_folder
from hupai.scoring import rule_sets
from hupai.scoring.hand import Hand
from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.photo.decode import decode
from hupai.vision.protocols import TileDetector
from hupai.vision.types import Image
from hupai.vision.video.hand_watch import HandWatch, Sighting
from hupai.vision.video.sources import Frame

FPS = 10
"""Frames per second of a video."""
WIDTH, HEIGHT = 1280, 480
"""Size of a rendered video in pixels: the strip of a 1080p frame in which a hand lies, unscaled."""
CLOTHS = ("felt", "wood", "plain", "marble", "felt", "pattern", "wood", "felt", "plain", "felt")
"""Kind of each of the ten backgrounds; each has its own tint."""
_MELDED = (
    "23m55pEEE[567m,1](9999s)+1m",
    "67m55p[CCC,2][FFF,3](8888s)+5m",
    "234m23456s77p888p",
    "55p[123s,1][456m,1][NNN,2]78s",
)


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """A hand as the camera shows it: its name, its picture, and the true faces."""

    name: str
    image: Image
    faces: tuple[str, ...]


@dataclass(slots=True)
class Outcome:
    """What went on air during a video.

    Attributes:
        hands: number of hands shown.
        right, wrong: accepted readings that show the true tiles, or something else.
        certain, certain_wrong: accepted readings called certain, and how many of these are wrong.
        missed: names of hands that were never shown correctly.
        errors: one line for each wrong reading.
    """

    hands: int = 0
    right: int = 0
    wrong: int = 0
    certain: int = 0
    certain_wrong: int = 0
    missed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def rendered(count: int, seed: int = 7) -> Iterator[Still]:
    """Yield hands of 13 and 14 tiles, some with melds, over ten backgrounds."""
    rng = np.random.default_rng(seed)
    design = project_design()
    for number in range(count):
        cloth = np.random.default_rng(100 + number % len(CLOTHS))
        table = effects.background(cloth, HEIGHT, WIDTH, CLOTHS[number % len(CLOTHS)], clutter=0)
        hand = parse_hand(_MELDED[number // 4 % len(_MELDED)]) if number % 4 == 3 else _random(rng)
        style = HandStyle(gap=0.03, group_gap=0.7, winning="apart", jitter=0.008)
        tiles = lay_hand(hand, style, rng, design.proportions)
        view = View(
            elevation=float(rng.uniform(68, 86)),
            azimuth=float(rng.normal(0, 4)),
            roll=float(rng.normal(0, 1.5)),
            field_of_view=42.0,
            width=WIDTH,
            height=HEIGHT,
        )
        spread = np.array([[t.x + dx, t.y, 0.0] for t in tiles for dx in (-1.0, 1.0)])
        light = Light(float(rng.uniform(0, 6.28)), 0.85, float(rng.uniform(0.5, 0.65)), 0.2)
        scene = Scene(tuple(tiles), (), None, design.proportions, "film")
        image = render(scene, design, Camera(view, spread, 0.93), light, table, rng).image
        faces = tuple("?" if tile.face_down else tile.face.code for tile in tiles)
        yield Still(f"hand {number + 1}", image, faces)


def photos(folder: Path) -> Iterator[Still]:
    """Yield the photos of a labelled folder whose whole hand is known, at most 1,920 pixels."""
    for photo in read_folder(folder):
        if photo.hand is None:
            continue
        image = decode(photo.path.read_bytes(), photo.path.name).image
        scale = min(1.0, 1920 / max(image.shape[:2]))
        size = round(image.shape[1] * scale), round(image.shape[0] * scale)
        small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        yield Still(photo.path.stem, small, tuple(tile.code for tile in photo.hand))


def play(stills: Iterable[Still], detector: TileDetector) -> Outcome:
    """Play the video of these hands to one `HandWatch` of the whole frame."""
    watch = HandWatch(detector, rules=rule_sets.get("mcr-1998"))
    outcome = Outcome()
    at, frames = 10.0, 0
    rng = np.random.default_rng(3)
    for number, still in enumerate(stills):
        grain = _grain(rng, still.image)
        shown = False
        for image in _shots(still.image, number):
            at, frames = at + 1 / FPS, frames + 1
            noisy = cv2.add(image, grain[frames % len(grain)], dtype=cv2.CV_8U)
            sighting = watch.watch(Frame(np.asarray(noisy, np.uint8), at))
            if sighting is not None and sighting.reading.tiles:
                shown |= _compare(still, sighting, outcome)
        outcome.hands += 1
        if not shown:
            outcome.missed.append(still.name)
    return outcome


def _shots(image: Image, number: int) -> Iterator[Image]:
    """Yield a hand's frames: at rest, then disturbed in one way, then at rest again.

    The ways take turns, and one is to do nothing. Light that has changed stays changed: the next
    hand follows at once.
    """
    yield from [image] * 9
    kind = ("nothing", "arm", "light", "camera")[number % 4]
    if kind == "arm":
        for reach in (0.3, 0.6, 0.8, 0.8, 0.8, 0.8, 0.5, 0.2):
            yield _with_arm(image, 0.2 + 0.06 * (number % 10), reach)
    elif kind == "light":
        for step in range(6):
            yield np.asarray(cv2.convertScaleAbs(image, alpha=1.0, beta=3.0 * step), np.uint8)
    elif kind == "camera":
        for step in range(1, 7):
            yield _moved(image, 0.004 * step)
        image = _moved(image, 0.024)
    if kind != "light":
        yield from [image] * 7


def _with_arm(image: Image, share: float, reach: float) -> Image:
    """Draw an arm from the lower edge, `share` of the width from the left."""
    height, width = image.shape[:2]
    x, y, wide = share * width, (1 - reach) * height, 0.07 * width
    corners = [[x, y], [x + wide, y], [x + 2.4 * wide, height], [x + 0.8 * wide, height]]
    drawn = image.copy()
    cv2.fillConvexPoly(drawn, np.array(corners, np.int32), (205, 160, 130), cv2.LINE_AA)
    return drawn


def _moved(image: Image, share: float) -> Image:
    """Show the table from a camera that moved sideways by a share of the width."""
    height, width = image.shape[:2]
    matrix = np.array([[1, 0, share * width], [0, 1, share * height / 2]], np.float64)
    moved = cv2.warpAffine(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def _grain(rng: np.random.Generator, image: Image) -> list[NDArray[np.int16]]:
    return [np.rint(rng.normal(0, 1.6, image.shape)).astype(np.int16) for _ in range(3)]


def _random(rng: np.random.Generator) -> Hand:
    """Deal 13 tiles or 14."""
    wall = np.repeat(np.arange(34), 4)
    return Hand(tuple(sorted(Tile(int(t)) for t in rng.permutation(wall)[: 13 + rng.integers(2)])))


def _compare(still: Still, sighting: Sighting, outcome: Outcome) -> bool:
    """Count an accepted reading; return whether it shows the true tiles."""
    tiles = [tile for tile in sighting.reading.tiles if tile.in_hand] or sighting.reading.tiles
    read = Counter(tile.tile.code for tile in tiles)
    true = Counter(still.faces)
    backs = true.pop("?", 0)
    read.pop("?", 0)
    # A tile that lies face down may be shown as one, or by the face that follows from the others.
    right = not true - read and (read - true).total() <= backs
    certain = sighting.reading.certain
    outcome.right, outcome.wrong = outcome.right + right, outcome.wrong + (not right)
    outcome.certain += certain
    outcome.certain_wrong += certain and not right
    if not right:
        missing, surplus = (" ".join(part.elements()) for part in (true - read, read - true))
        outcome.errors.append(
            f"{still.name}: not shown {missing or '-'}, shown instead {surplus or '-'}"
        )
    return right


def main() -> None:
    """Command line of this benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=40)
    parser.add_argument("--photos", type=Path, help="a labelled folder instead of rendered hands")
    arguments = parser.parse_args()
    stills = photos(arguments.photos) if arguments.photos else rendered(arguments.hands)
    outcome = play(stills, registry.load("default", 2))
    print(
        f"{outcome.hands} hands; on air right {outcome.right}, wrong {outcome.wrong}; "
        f"certain {outcome.certain}, of them wrong {outcome.certain_wrong}; "
        f"never right {len(outcome.missed)}"
    )
    for line in outcome.errors:
        print(f"  {line}")
    if outcome.missed:
        print(f"  never right: {', '.join(outcome.missed)}")


if __name__ == "__main__":
    main()
