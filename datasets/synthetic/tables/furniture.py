"""Things on a table that are not tiles: console, racks, sticks, dice, phones, and look-alikes."""

from __future__ import annotations

import math
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.tables.solids import Box, Colour, slab

Rgba = NDArray[np.uint8]
Maker = Callable[[np.random.Generator, tuple[float, float], float], list[Box]]

STICKS = (
    (240, 236, 225), (236, 228, 150), (40, 80, 180), (200, 40, 45), (30, 120, 80), (230, 190, 40),
)  # fmt: skip


def _sheet(height: int, width: int, colour: Colour) -> Rgba:
    picture = np.empty((height, width, 4), np.uint8)
    picture[:] = (*(int(np.clip(c, 0, 255)) for c in colour), 255)
    return picture


def _any(rng: np.random.Generator, low: float = 0, high: float = 255) -> Colour:
    r, g, b = rng.uniform(low, high, 3).tolist()
    return r, g, b


def _ink(colour: Colour) -> tuple[float, float, float, float]:
    return (*colour, 255.0)


def console(rng: np.random.Generator, half: float) -> list[Box]:
    """Return the centre of an automatic table: a plate, a dome with dice, lamps and digits."""
    side = 180
    plate = _sheet(side, side, _any(rng, 15, 90) if rng.random() < 0.8 else _any(rng, 60, 220))
    frame = int(rng.integers(4, 16))
    cv2.rectangle(plate, (frame, frame), (side - frame, side - frame), _ink(_any(rng, 0, 160)), 3)
    middle = (side // 2, side // 2)
    radius = int(rng.integers(26, 60))
    cv2.circle(plate, middle, radius, _ink(_any(rng, 5, 120)), -1, cv2.LINE_AA)
    cv2.circle(plate, middle, radius, _ink(_any(rng, 90, 250)), 2, cv2.LINE_AA)
    for k in range(int(rng.integers(0, 13))):
        turn = 2 * math.pi * k / 12
        at = (
            middle[0] + int(radius * 0.75 * math.cos(turn)),
            middle[1] + int(radius * 0.75 * math.sin(turn)),
        )
        cv2.circle(plate, at, int(rng.integers(3, 9)), _ink(_any(rng, 30, 255)), -1, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 3))):
        x, y = rng.uniform(-0.35, 0.35, 2) * radius
        at = (middle[0] + int(x), middle[1] + int(y))
        cv2.rectangle(
            plate, (at[0] - 9, at[1] - 9), (at[0] + 9, at[1] + 9), _ink((240, 240, 236)), -1
        )
        cv2.circle(plate, at, 4, _ink((200, 20, 20)), -1, cv2.LINE_AA)
    for k in range(4):
        plate = np.ascontiguousarray(np.rot90(plate))
        if rng.random() < 0.7:
            text = "".join(str(d) for d in rng.integers(0, 10, 5))
            shown = _ink(((250, 40, 50), (90, 220, 120), (235, 235, 240))[k % 3])
            cv2.putText(plate, text, (62, side - frame - 8), 0, 0.55, shown, 1, cv2.LINE_AA)
    size = 2 * half - 0.4
    return [slab((0.0, 0.0), (size, size, 0.15), 0.0, _any(rng, 10, 90), front=plate, first=True)]


def stick(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return a counting stick."""
    colour = STICKS[int(rng.integers(len(STICKS)))]
    length = float(rng.uniform(2.6, 3.6))
    picture = _sheet(14, 120, colour)
    spot = _ink((200, 30, 40) if rng.random() < 0.6 else (30, 40, 90))
    for k in range(int(rng.integers(0, 6))):
        for row in (4, 9) if rng.random() < 0.5 else (7,):
            cv2.circle(picture, (52 + 4 * k, row), 2, spot, -1, cv2.LINE_AA)
    return [slab(place, (length, 0.34, 0.2), angle, colour, front=picture)]


def sticks(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return a few counting sticks side by side or across each other."""
    neat = rng.random() < 0.5
    out = []
    for k in range(int(rng.integers(1, 7))):
        at = (place[0] - 0.38 * k * math.sin(angle), place[1] + 0.38 * k * math.cos(angle))
        loose = rng.normal(0, 0.0 if neat else 0.9, 2)
        turn = angle + (0.0 if neat else float(rng.normal(0, 0.6)))
        out += stick(rng, (at[0] + float(loose[0]), at[1] + float(loose[1])), turn)
    return out


def die(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return a die with its pips."""
    side = float(rng.uniform(0.4, 0.75))
    white = rng.random() < 0.8
    colour: Colour = (244, 242, 236) if white else _any(rng, 20, 180)
    picture = _sheet(40, 40, colour)
    pips = int(rng.integers(1, 7))
    ink = _ink(
        (200, 20, 25)
        if pips == 1 or rng.random() < 0.3
        else (20, 30, 120)
        if white
        else (240, 240, 240)
    )
    spots = {1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)]}.get(
        pips, [(-1, -1), (1, 1), (-1, 1), (1, -1)]
    )
    spots = spots + ([(0, 0)] if pips == 5 else [(-1, 0), (1, 0)] if pips == 6 else [])
    for x, y in spots:
        cv2.circle(picture, (20 + 10 * x, 20 + 10 * y), 7 if pips == 1 else 4, ink, -1, cv2.LINE_AA)
    return [slab(place, (side, side, side), angle, colour, front=picture)]


def rack(
    rng: np.random.Generator, low: float, high: float, near: float, thickness: float
) -> list[Box]:
    """Return a tray under a row from x = `low` to `high` whose near edge is at `near`."""
    colour = ((225, 190, 130), (60, 40, 28), (30, 30, 34), (235, 232, 225), (30, 110, 60))[
        int(rng.integers(5))
    ]
    middle, length = (low + high) / 2, high - low + float(rng.uniform(1, 5))
    kind = rng.random()
    if kind < 0.5:  # a lip before the row
        place = (middle, near - 0.35 - float(rng.uniform(0, 0.4)))
        return [slab(place, (length, 0.5, float(rng.uniform(0.15, 0.5)) * thickness), 0.0, colour)]
    deep = float(rng.uniform(1.4, 3.0))
    base = slab((middle, near + 0.5), (length, deep, 0.05), 0.0, colour, first=True)
    lip = slab((middle, near - 0.3), (length, 0.3, 0.4 * thickness), 0.0, colour)
    return [base, lip] if kind < 0.8 else [base]


def phone(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return a phone, its screen on or off."""
    screen = _sheet(160, 78, _any(rng, 5, 40))
    if rng.random() < 0.5:
        screen[8:-8, 4:-4, :3] = np.array(_any(rng, 60, 255), np.uint8)
        for _ in range(int(rng.integers(2, 12))):
            x, y = int(rng.integers(6, 50)), int(rng.integers(12, 140))
            size = (int(rng.integers(6, 24)), int(rng.integers(3, 16)))
            cv2.rectangle(screen, (x, y), (x + size[0], y + size[1]), _ink(_any(rng)), -1)
    return [slab(place, (2.9, 6.0, 0.32), angle, _any(rng, 10, 90), front=screen)]


def disc(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return a cup seen from above, a coaster, a chip or a plate."""
    size = float(rng.choice([1.4, 2.6, 3.4, 5.0])) * float(rng.uniform(0.8, 1.2))
    picture = np.zeros((120, 120, 4), np.uint8)
    cv2.circle(picture, (60, 60), 58, _ink(_any(rng, 30, 255)), -1, cv2.LINE_AA)
    for k in range(int(rng.integers(0, 3))):
        cv2.circle(picture, (60, 60), 48 - 14 * k, _ink(_any(rng, 10, 255)), -1, cv2.LINE_AA)
    picture[..., :3] = picture[..., :3] // 255 * 0 + picture[..., :3] * (picture[..., 3:] > 0)
    return [slab(place, (size, size, 0.05), angle, _any(rng), front=picture, shade=False)]


def _letters(rng: np.random.Generator, sheet: Rgba, lines: int, colour: Colour) -> None:
    height, width = sheet.shape[:2]
    step = height // (lines + 1)
    for k in range(lines):
        x = width // 12
        while x < width * 0.9:
            run = int(rng.integers(3, 14))
            at = (x, step * (k + 1))
            cv2.line(
                sheet, at, (min(x + run, int(width * 0.92)), at[1]), _ink(colour), max(1, step // 4)
            )
            x += run + int(rng.integers(2, 6))


def paper(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return a printed sheet, a score table or a menu."""
    sheet = _sheet(200, 150, _any(rng, 205, 255))
    if rng.random() < 0.4:
        for x in range(0, 150, 25):
            cv2.line(sheet, (x, 0), (x, 199), _ink((90, 90, 90)), 1)
        for y in range(0, 200, 20):
            cv2.line(sheet, (0, y), (149, y), _ink((90, 90, 90)), 1)
    _letters(rng, sheet, int(rng.integers(4, 16)), _any(rng, 0, 120))
    if rng.random() < 0.5:
        cv2.putText(
            sheet,
            "ABCDEFGH"[int(rng.integers(6)) :][:3],
            (20, 60),
            0,
            1.6,
            _ink(_any(rng, 0, 200)),
            3,
        )
    size = float(rng.uniform(3, 9))
    return [
        slab(place, (size, size * 1.35, 0.02), angle, (230, 230, 230), front=sheet, shade=False)
    ]


def keyboard(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return a computer keyboard: rows of keys of a tile's size and nearly its shape."""
    dark = rng.random() < 0.5
    base: Colour = _any(rng, 15, 60) if dark else _any(rng, 190, 245)
    key: Colour = tuple(float(np.clip(c + (18 if dark else 10), 0, 255)) for c in base)  # type: ignore[assignment]
    ink = _ink((225, 225, 225) if dark else (50, 50, 55))
    rows, columns = int(rng.integers(3, 6)), int(rng.integers(6, 15))
    sheet = _sheet(rows * 26 + 6, columns * 24 + 6, base)
    for r in range(rows):
        for c in range(columns):
            x, y = 4 + 24 * c, 4 + 26 * r
            cv2.rectangle(sheet, (x, y), (x + 20, y + 22), _ink(key), -1)
            cv2.rectangle(sheet, (x, y), (x + 20, y + 22), _ink(tuple(0.8 * v for v in key)), 1)  # type: ignore[arg-type]
            letter = chr(65 + int(rng.integers(26)))
            cv2.putText(sheet, letter, (x + 5, y + 14), 0, 0.38, ink, 1, cv2.LINE_AA)
    scale = float(rng.uniform(0.7, 1.1))
    return [slab(place, (columns * scale, rows * 1.05 * scale, 0.35), angle, base, front=sheet)]


def cards(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return playing cards in a fan or a row."""
    out, size = [], float(rng.uniform(1.4, 2.6))
    for k in range(int(rng.integers(1, 8))):
        sheet = _sheet(112, 80, (250, 250, 248))
        red = bool(rng.random() < 0.5)
        ink = _ink((210, 25, 30) if red else (20, 20, 25))
        if rng.random() < 0.2:
            sheet[6:-6, 6:-6, :3] = np.array(_any(rng, 20, 200), np.uint8)
        else:
            name = "A23456789JQK"[int(rng.integers(12))]
            cv2.putText(sheet, name, (6, 22), 0, 0.7, ink, 2, cv2.LINE_AA)
            for _ in range(int(rng.integers(1, 7))):
                x, y = int(rng.integers(22, 58)), int(rng.integers(24, 92))
                spots = np.array([[x, y - 8], [x + 7, y], [x, y + 8], [x - 7, y]])
                cv2.fillConvexPoly(sheet, spots, ink, cv2.LINE_AA)
        turn = angle + 0.12 * k + float(rng.normal(0, 0.08))
        at = (
            place[0] + 0.5 * size * k * math.cos(angle),
            place[1] + 0.5 * size * k * math.sin(angle),
        )
        out.append(
            slab(
                at,
                (size, size * 1.4, 0.02),
                turn,
                (235, 235, 235),
                z=0.03 * k,
                front=sheet,
                shade=False,
            )
        )
    return out


def dominoes(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return dominoes in a row or thrown down."""
    out, dark = [], rng.random() < 0.4
    colour: Colour = (28, 28, 30) if dark else (245, 242, 232)
    ink = _ink((240, 240, 240) if dark else (20, 20, 20))
    for k in range(int(rng.integers(1, 7))):
        sheet = _sheet(96, 48, colour)
        cv2.line(sheet, (6, 48), (42, 48), ink, 2)
        for half in (0, 48):
            for spot in rng.permutation(9)[: int(rng.integers(0, 7))]:
                pip = (12 + 12 * (int(spot) % 3), half + 12 + 12 * (int(spot) // 3))
                cv2.circle(sheet, pip, 4, ink, -1, cv2.LINE_AA)
        at = (place[0] + 1.15 * k * math.cos(angle), place[1] + 1.15 * k * math.sin(angle))
        turn = angle + float(rng.normal(0, 0.25))
        out.append(slab(at, (1.0, 2.0, 0.35), turn, colour, front=sheet))
    return out


def remote(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return a remote control or a calculator, with its buttons."""
    base = _any(rng, 15, 80) if rng.random() < 0.7 else _any(rng, 180, 245)
    sheet = _sheet(200, 70, base)
    for y in range(20, 190, 18):
        for x in (10, 28, 46):
            if rng.random() < 0.85:
                cv2.rectangle(sheet, (x, y), (x + 13, y + 11), _ink(_any(rng)), -1)
    return [slab(place, (2.0, 6.2, 0.5), angle, base, front=sheet)]


def box(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return a plain thing: a cigarette box, a soap bar, a tissue box, a toy brick."""
    w, h = rng.uniform(0.7, 4.5, 2).tolist()
    colour = _any(rng, 20, 255)
    picture = None
    if rng.random() < 0.5:
        picture = _sheet(90, 90, colour)
        _letters(rng, picture, int(rng.integers(1, 6)), _any(rng))
    return [slab(place, (w, h, float(rng.uniform(0.2, 1.6))), angle, colour, front=picture)]


def bathroom(rng: np.random.Generator, place: tuple[float, float], angle: float) -> list[Box]:
    """Return wall or floor tiles: a grid of plain pale squares with joints."""
    colour = _any(rng, 190, 252)
    rows, columns = int(rng.integers(3, 8)), int(rng.integers(3, 8))
    sheet = _sheet(rows * 30, columns * 24, colour)
    for r in range(rows + 1):
        cv2.line(sheet, (0, 30 * r), (columns * 24, 30 * r), _ink(_any(rng, 90, 180)), 2)
    for c in range(columns + 1):
        cv2.line(sheet, (24 * c, 0), (24 * c, rows * 30), _ink((150, 150, 150)), 2)
    scale = float(rng.uniform(0.8, 1.6))
    return [slab(place, (columns * scale, rows * 1.25 * scale, 0.03), angle, colour, front=sheet)]


COMMON: tuple[Maker, ...] = (sticks, sticks, sticks, die, die, phone, disc, disc, paper, box)
"""What lies on mahjong tables."""

LOOK_ALIKES: tuple[Maker, ...] = (
    keyboard,
    cards,
    dominoes,
    remote,
    bathroom,
    paper,
    box,
    phone,
    disc,
)
"""What could be taken for tiles."""
