"""A short video of hands being revealed: rendered with the project's own faces, an arm laying tile
after tile.

The demonstration plays it through the real pipeline, and benchmarks/overlay.py measures against its
script, which says when the table is at rest and what then lies there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.designs import Design, project_design
from hupai.datasets.synthetic.layout.compose import HandStyle, lay_hand
from hupai.datasets.synthetic.picture import effects
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.render import Light, render
from hupai.datasets.synthetic.scene import PlacedTile, Scene
from hupai.scoring.notation import parse_hand
from hupai.vision.types import Image

FORM = 8
"""Version of the clip; raise it when the clip changes, so that a cached one is rendered again."""
_LIGHT = Light(2.2, 0.85, 0.62, 0.3)
_SLEEVES = {"near": ((38, 52, 96), (226, 178, 146)), "far": ((120, 34, 42), (214, 164, 130))}


@dataclass(frozen=True, slots=True)
class Player:
    """A player of the clip.

    Attributes:
        seat: ``near`` or ``far``.
        hand: in notation, with the winning tile where the player wins.
        chunk: tiles laid down in one movement.
    """

    seat: str
    hand: str
    chunk: int = 1


@dataclass(frozen=True, slots=True)
class Moment:
    """A period of rest.

    Attributes:
        still_at: seconds into the clip from which nothing moves in the seat's region, shadows
            included.
        until: seconds at which something moves again.
        seat: the seat whose tiles changed before; empty if none did.
        tiles: codes of all tiles that the seat shows now, ascending.
    """

    still_at: float
    until: float
    seat: str
    tiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """What a clip shows.

    Attributes:
        players: in the order in which they reveal.
        width, height: pixels of a frame.
        fps: frames a second.
        rest: seconds at rest after each movement.
        reach: seconds in which the arm comes, and in which it goes.
        seed: decides jitter and noise.
    """

    players: tuple[Player, ...] = (
        Player("far", "234456678p2235s", 4),
        Player("near", "67m55p[CCC,2][FFF,3](8888s)+5m"),
    )
    width: int = 1280
    height: int = 720
    fps: int = 25
    rest: float = 0.9
    reach: float = 0.32
    seed: int = 5


REGIONS: dict[
    str, tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]
] = {
    "near": ((0.0, 0.3), (1.0, 0.3), (1.0, 0.68), (0.0, 0.68)),
    "far": ((1.0, 0.29), (0.0, 0.29), (0.0, 0.0), (1.0, 0.0)),
}
"""Where each seat lies on the clip, as corners of a `hupai.vision.video.region.Region`: the far
player's is turned round.
"""


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """The table after a movement: its picture, who moved, the arm's goal in pixels, and what the
    seat shows now.
    """

    image: Image
    seat: str
    goal: tuple[float, float]
    tiles: tuple[str, ...]


def make_clip(path: Path, script: Script = Script()) -> tuple[Moment, ...]:
    """Write the clip (MPEG-4 in .mp4) and, beside it, its moments as .json; both are
    cached and reused for the same script.

    Raises:
        OSError: if the video cannot be written.
    """
    notes = path.with_suffix(".json")
    form = hashlib.sha256(
        f"{FORM} {cv2.__version__} {json.dumps(asdict(script))}".encode()
    ).hexdigest()
    if path.is_file() and notes.is_file():
        kept = json.loads(notes.read_text("utf-8"))
        if kept.get("form") == form:
            return tuple(Moment(**{**row, "tiles": tuple(row["tiles"])}) for row in kept["moments"])
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.stem}-partial.mp4")
    writer = cv2.VideoWriter(
        str(partial), cv2.VideoWriter.fourcc(*"mp4v"), script.fps, (script.width, script.height)
    )
    if not writer.isOpened():
        raise OSError(
            f"OpenCV cannot write {path.name}: is the folder writable, and does OpenCV have FFmpeg?"
        )
    moments: list[Moment] = []
    for frame in frames(script, moments):
        writer.write(cv2.cvtColor(frame, cv2.COLOR_RGB2BGR))
    writer.release()
    notes.write_text(
        json.dumps({"form": form, "moments": [asdict(moment) for moment in moments]}), "utf-8"
    )
    partial.replace(path)
    return tuple(moments)


def frames(script: Script, moments: list[Moment]) -> Iterator[Image]:
    """Yield the clip frame by frame, RGB.

    Appends each moment of rest to `moments` when its last frame has been given.
    """
    rng = np.random.default_rng(script.seed)
    grain = [_grain(rng, script) for _ in range(6)]
    shown = 0

    def noisy(image: Image) -> Image:
        nonlocal shown
        shown += 1
        return np.asarray(cv2.add(image, grain[shown % len(grain)], dtype=cv2.CV_8U), np.uint8)

    before: Image | None = None
    for state in _states(script, rng):
        start = shown
        if before is not None:
            rows = _rows(state.seat, script.height)
            steps = max(2, round(script.reach * script.fps))
            for k in range(2 * steps):
                # The tile appears under the arm, when it reaches furthest.
                share = k / steps if k < steps else (2 * steps - 1 - k) / steps
                image = _with_arm(
                    before if k < steps else state.image, state.seat, state.goal, share
                )
                yield noisy(image)
                if k < steps or not np.array_equal(image[rows], state.image[rows]):
                    start = shown
        for _ in range(
            max(
                1,
                round(
                    script.rest * script.fps * (2.2 if before is None or not state.tiles else 1.0)
                ),
            )
        ):
            yield noisy(state.image)
        moments.append(Moment(start / script.fps, shown / script.fps, state.seat, state.tiles))
        before = state.image


def _rows(seat: str, height: int) -> slice:
    """Rows of the frame in which the seat's region lies."""
    heights = [y for _, y in REGIONS[seat]]
    return slice(int(min(heights) * height), int(np.ceil(max(heights) * height)))


def _states(script: Script, rng: np.random.Generator) -> Iterator[_State]:
    """Empty table, tile after tile, an arm that only passes, and the table cleared."""
    # Blue backs: green ones on green felt are hard to see, for people too.
    design = replace(project_design(), back=(32, 84, 150))
    laid = {player.seat: _laid(player, design, rng) for player in script.players}
    camera = _camera(script)
    empty = effects.background(
        np.random.default_rng(11), script.height, script.width, "felt", clutter=0
    )
    image = empty
    on_table: list[PlacedTile] = []
    yield _State(image, "", (0.0, 0.0), ())
    for player in script.players:
        tiles = laid[player.seat]
        placed: list[PlacedTile] = []
        for new in _movements(tiles, player.chunk):
            placed += new
            on_table = [*on_table, *new]
            image = _with_tiles(image, on_table, new, design, camera, empty)
            yield _State(image, player.seat, _goal(new, camera, design), _codes(placed))
        # An arm that reaches over the hand and changes nothing: the overlay has to hold still.
        yield _State(image, player.seat, _goal(tiles[:5][-3:], camera, design), _codes(placed))
    for player in script.players:
        gone = laid[player.seat]
        on_table = [tile for tile in on_table if tile not in gone]
        image = _with_tiles(image, on_table, gone, design, camera, empty)
        yield _State(image, player.seat, _goal(gone, camera, design), ())


def _laid(player: Player, design: Design, rng: np.random.Generator) -> list[PlacedTile]:
    """Lay the player's tiles on the table: concealed tiles, melds, the winning tile last."""
    style = HandStyle(gap=0.03, group_gap=0.6, winning="apart", flowers="right", jitter=0.006)
    tiles = lay_hand(parse_hand(player.hand), style, rng, design.proportions)
    middle = (min(t.x for t in tiles) + max(t.x for t in tiles)) / 2
    last = [tile for tile in tiles if tile.kind == "winning_tile"]
    tiles = [
        replace(tile, x=tile.x - middle) for tile in [*(t for t in tiles if t not in last), *last]
    ]
    if player.seat == "near":
        return tiles
    return [replace(t, x=-t.x, y=8.4 - t.y, angle=t.angle + float(np.pi)) for t in tiles]


def _movements(tiles: list[PlacedTile], chunk: int) -> Iterator[list[PlacedTile]]:
    """Tiles laid down together: `chunk` of the concealed ones at a time, melds whole, the winning
    tile alone.
    """
    group: list[PlacedTile] = []
    for tile in tiles:
        if group and (
            tile.group != group[-1].group or (tile.kind == "concealed" and len(group) >= chunk)
        ):
            yield group
            group = []
        group.append(tile)
    if group:
        yield group


def _camera(script: Script) -> Camera:
    """Above the table, leaning a little towards the near player, with room below for the
    overlay.
    """
    view = View(
        elevation=76.0,
        azimuth=0.0,
        roll=0.0,
        field_of_view=40.0,
        width=script.width,
        height=script.height,
    )
    subject = np.array([[x, y, 0.0] for x in (-10.4, 10.4) for y in (-4.6, 9.1)])
    return Camera(view, subject, 0.97)


def _with_tiles(
    before: Image,
    tiles: list[PlacedTile],
    changed: list[PlacedTile],
    design: Design,
    camera: Camera,
    empty: Image,
) -> Image:
    """Draw the table with `tiles`, anew only around the `changed` ones, so that no other pixel
    flickers.
    """
    scene = Scene(tuple(tiles), (), None, design.proportions, "clip")
    drawn = (
        render(scene, design, camera, _LIGHT, empty, np.random.default_rng(3)).image
        if tiles
        else empty
    )
    mask = np.zeros(before.shape[:2], np.float32)
    for tile in changed:
        reach = design.proportions.height
        spots = [
            (tile.x + dx * reach, tile.y + dy * reach, z)
            for dx in (-1, 1)
            for dy in (-1, 1)
            for z in (0.0, 0.9)
        ]
        hull = cv2.convexHull(
            camera.project(np.array(spots)).astype(np.float32).round().astype(np.int32)
        )
        cv2.fillConvexPoly(mask, hull, 1.0)
    mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), 3.0), np.float32)[..., None]
    return np.asarray(np.rint(before * (1 - mask) + drawn * mask), np.uint8)


def _goal(tiles: list[PlacedTile], camera: Camera, design: Design) -> tuple[float, float]:
    """Where the fingers go to lay these tiles, pixels."""
    middle = np.array(
        [
            [
                np.mean([t.x for t in tiles]),
                np.mean([t.y for t in tiles]),
                design.proportions.thickness,
            ]
        ]
    )
    x, y = camera.project(middle)[0]
    return float(x), float(y)


def _with_arm(image: Image, seat: str, goal: tuple[float, float], share: float) -> Image:
    """Draw an arm that has come `share` (0 to 1) of its way from the seat's edge to the goal."""
    height, width = image.shape[:2]
    eased = share * share * (3 - 2 * share)
    sign = 1.0 if seat == "near" else -1.0
    edge = np.array(
        [goal[0] + 0.16 * width * sign, height * 1.02 if seat == "near" else -height * 0.1]
    )
    away = edge + (edge - np.array(goal)) * 0.4
    tip = away + (np.array(goal) - away) * eased
    along = (np.array(goal) - edge) / np.linalg.norm(np.array(goal) - edge)
    across = np.array([-along[1], along[0]])
    unit = width / 22
    sleeve, skin = _SLEEVES[seat]

    def limb(start: float, end: float, wide: float, narrow: float) -> NDArray[np.int32]:
        a, b = tip - along * start * unit, tip - along * end * unit
        return np.round(
            np.array(
                [a - across * narrow, a + across * narrow, b + across * wide, b - across * wide]
            )
        ).astype(np.int32)

    light = np.full((height // 4, width // 4), 255, np.uint8)
    moved = np.round(np.array([0.35, 0.3]) * unit).astype(np.int32)
    for part in (limb(0.4, 4.2, 0.85 * unit, 0.6 * unit), limb(3.6, 30, 1.9 * unit, 1.15 * unit)):
        cv2.fillConvexPoly(light, (part + moved) // 4, 165, cv2.LINE_AA)
    light = np.asarray(cv2.GaussianBlur(light, (0, 0), unit * 0.06), np.uint8)
    light = np.asarray(
        cv2.merge([cv2.resize(light, (width, height), interpolation=cv2.INTER_LINEAR)] * 3),
        np.uint8,
    )
    out = np.asarray(cv2.multiply(image, light, scale=1 / 255), np.uint8)
    cv2.fillConvexPoly(out, limb(0.4, 4.2, 0.85 * unit, 0.62 * unit), skin, cv2.LINE_AA)
    for k in (-1.5, -0.5, 0.5, 1.5):
        finger = tip + across * k * 0.34 * unit
        back = finger - along * 1.3 * unit
        ends = tuple(int(v) for v in finger.round()), tuple(int(v) for v in back.round())
        cv2.line(out, *ends, skin, max(2, round(0.36 * unit)), cv2.LINE_AA)
        cv2.line(out, *ends, tuple(int(c * 0.88) for c in skin), 1, cv2.LINE_AA)
    cv2.fillConvexPoly(out, limb(3.6, 30, 1.9 * unit, 1.15 * unit), sleeve, cv2.LINE_AA)
    return out


def _grain(rng: np.random.Generator, script: Script) -> NDArray[np.int16]:
    """Noise of a sensor, shape of a frame."""
    return np.rint(rng.normal(0, 1.6, (script.height, script.width, 3))).astype(np.int16)


def _codes(tiles: list[PlacedTile]) -> tuple[str, ...]:
    """Return the codes of these tiles as the camera sees them, backs included."""
    return tuple(sorted("?" if tile.face_down else tile.face.code for tile in tiles))
