"""Prints on the backs of tiles: ornaments, borders, patterns and lettering.

A print is drawn as the share of ink of each pixel, shape (height, width), float32 from 0 to 1; the
caller chooses the colours. The same generator state gives the same print, so that all tiles of a
set can show the same.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Ink = NDArray[np.float32]
_Draw = Callable[[np.random.Generator, int, int], Ink]

_OVERSAMPLING = 3
"""Factor by which prints are drawn larger and then shrunk, so that their lines are smooth."""


def draw_print(rng: np.random.Generator, height: int, width: int) -> Ink:
    """Draw an ornament, a pattern, or both with a border.

    Args:
        rng: chooses what is drawn.
        height, width: size of the back, pixels, at least 4.
    """
    h, w = height * _OVERSAMPLING, width * _OVERSAMPLING
    kinds = _ORNAMENTS if rng.random() < 0.6 else _PATTERNS
    ink = kinds[int(rng.integers(len(kinds)))](rng, h, w)
    if rng.random() < 0.3:
        ink = np.maximum(ink, _border(rng, h, w))
    ink = cv2.resize(ink, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    return np.asarray(np.clip(ink, 0, 1) * np.float32(rng.uniform(0.45, 1.0)), np.float32)


def draw_halves(rng: np.random.Generator, height: int, width: int) -> Ink:
    """Draw two areas with a straight edge between them, or one inside the other."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    y, x = y / height - 0.5, x / width - 0.5
    if rng.random() < 0.5:
        turn = float(rng.choice([0, np.pi / 2, rng.uniform(0, np.pi)]))
        depth = x * np.cos(turn) + y * np.sin(turn) - float(rng.uniform(-0.2, 0.2))
    else:
        depth = np.maximum(np.abs(x), np.abs(y)) - float(rng.uniform(0.2, 0.42))
    return np.asarray(np.clip(0.5 + depth * width, 0, 1), np.float32)


def draw_veins(rng: np.random.Generator, height: int, width: int) -> Ink:
    """Draw clouds crossed by bent veins of several widths, as of marble or jade."""

    def noise(cells: int) -> Ink:
        grid = rng.normal(0, 1, (cells, cells)).astype(np.float32)
        return cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.float32)

    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / np.float32(width)
    ink = np.clip(0.3 * noise(4) + 0.15 * noise(9), 0, 0.45)
    for _ in range(int(rng.integers(1, 5))):
        turn = float(rng.uniform(0, np.pi))
        bend = rng.uniform(0.1, 0.35) * noise(4) + 0.05 * noise(12)
        away = x * np.cos(turn) + y * np.sin(turn) - rng.uniform(0, 1.2) + bend
        vein = np.exp(-((away / rng.uniform(0.01, 0.06)) ** 2))
        ink = np.maximum(ink, rng.uniform(0.4, 1) * vein)
    return np.asarray(np.clip(ink, 0, 1), np.float32)


def _polar(rng: np.random.Generator, h: int, w: int) -> tuple[Ink, Ink]:
    """Return radius and angle around a centre near the middle; 1 is half of the width."""
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    dx, dy = (x - w / 2) / (w / 2), (y - h * rng.uniform(0.45, 0.55)) / (w / 2)
    turn = float(rng.uniform(0, 2 * np.pi))
    radius, angle = np.hypot(dx, dy), np.arctan2(dy, dx) + turn
    return radius.astype(np.float32), angle.astype(np.float32)


def _flower(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw layers of petals, filled or in outline."""
    radius, angle = _polar(rng, h, w)
    petals, size = int(rng.integers(3, 13)), float(rng.uniform(0.35, 0.9))
    ink = np.zeros((h, w), np.float32)
    for layer in range(int(rng.integers(1, 4))):
        edge = size * (1 - 0.28 * layer) * (0.72 + 0.28 * np.abs(np.cos(petals * angle / 2)))
        if rng.random() < 0.5:
            ink = np.where(radius < edge, 1.0 - ink, ink)
        else:
            ink = np.where(np.abs(radius - edge) < 0.05, 1.0, ink)
    return ink.astype(np.float32)


def _star(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw a star polygon."""
    points, skip = int(rng.integers(5, 11)), int(rng.integers(2, 4))
    size, turn = float(rng.uniform(0.3, 0.45)) * w, float(rng.uniform(0, np.pi))
    angles = turn + np.arange(points) * 2 * np.pi / points * skip
    corners = np.stack([w / 2 + size * np.cos(angles), h / 2 + size * np.sin(angles)], 1)
    ink = np.zeros((h, w), np.uint8)
    polygon = [np.round(corners).astype(np.int32)]
    if rng.random() < 0.4:
        cv2.fillPoly(ink, polygon, 255)
    else:
        cv2.polylines(ink, polygon, True, 255, max(2, w // 26), cv2.LINE_AA)
    return (ink / 255).astype(np.float32)


def _ornament(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw an abstract ornament: blots of ink within an oval, mirrored."""
    cells = int(rng.integers(4, 11))
    noise = rng.normal(0, 1, (cells, cells)).astype(np.float32)
    noise = noise + noise[:, ::-1]
    if rng.random() < 0.5:
        noise = noise + noise[::-1]
    smooth = cv2.resize(noise, (w, h), interpolation=cv2.INTER_CUBIC)
    radius, _ = _polar(rng, h, w)
    oval = radius < rng.uniform(0.5, 1.0)
    edge = float(rng.uniform(0.05, 0.5)) * float(noise.std())
    line = np.abs(smooth) < edge if rng.random() < 0.5 else smooth > edge
    return np.asarray(line & oval, np.float32)


def _vines(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw curls, mirrored from left to right."""
    ink = np.zeros((h, w), np.uint8)
    t = np.linspace(0, 1, 60)
    for _ in range(int(rng.integers(3, 8))):
        start, coil = rng.uniform(0, 1, 2) * (w / 2, h), rng.uniform(2, 9)
        reach, turn = rng.uniform(0.1, 0.4) * w, rng.uniform(0, 2 * np.pi)
        curl = (1 - t)[:, None] * np.stack([np.cos(turn + coil * t), np.sin(turn + coil * t)], 1)
        line = [np.round(start + reach * curl).astype(np.int32)]
        cv2.polylines(ink, line, False, 255, max(2, int(w * rng.uniform(0.02, 0.06))), cv2.LINE_AA)
    return (np.maximum(ink, ink[:, ::-1]) / 255).astype(np.float32)


def _lettering(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw one to three capital letters, as a maker's mark."""
    text = "".join(chr(65 + int(k)) for k in rng.integers(0, 26, int(rng.integers(1, 4))))
    fonts = (cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SCRIPT_COMPLEX)
    font, thick = fonts[int(rng.integers(len(fonts)))], max(2, w // 24)
    (text_w, _), _ = cv2.getTextSize(text, font, 1.0, 1)
    scale = float(rng.uniform(0.35, 0.8)) * w / text_w
    (text_w, text_h), _ = cv2.getTextSize(text, font, scale, thick)
    ink = np.zeros((h, w), np.uint8)
    at = ((w - text_w) // 2, (h + text_h) // 2)
    cv2.putText(ink, text, at, font, scale, 255, thick, cv2.LINE_AA)
    if rng.random() < 0.5:
        cv2.ellipse(ink, (w // 2, h // 2), (int(w * 0.42), int(w * 0.42)), 0, 0, 360, 255, thick)
    return (ink / 255).astype(np.float32)


def _emblem(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw rings and crossed ellipses."""
    ink = np.zeros((h, w), np.uint8)
    centre, thick = (w // 2, h // 2), max(2, int(w * rng.uniform(0.02, 0.07)))
    for k in range(int(rng.integers(1, 6))):
        axes = (int(w * rng.uniform(0.1, 0.42)), int(w * rng.uniform(0.08, 0.42)))
        turn = float(rng.uniform(0, 180)) * (k > 0)
        cv2.ellipse(ink, centre, axes, turn, 0, 360, 255, thick, cv2.LINE_AA)
    return (ink / 255).astype(np.float32)


def _lattice(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw diagonal or upright lines that cross."""
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    step, line = w * rng.uniform(0.1, 0.32), w * rng.uniform(0.02, 0.06)
    one, other = (x + y, x - y) if rng.random() < 0.7 else (x, y)
    return np.asarray((one % step < line) | (other % step < line), np.float32)


def _dots(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw a grid of dots, in rows or staggered."""
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    step = w * rng.uniform(0.12, 0.35)
    x = x + (step / 2) * ((y // step) % 2) * (rng.random() < 0.5)
    away = np.hypot(x % step - step / 2, y % step - step / 2)
    return np.asarray(away < step * rng.uniform(0.15, 0.35), np.float32)


def _scales(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw overlapping arcs in staggered rows."""
    ink = np.zeros((h, w), np.uint8)
    size, thick = max(6, int(w * rng.uniform(0.12, 0.3))), max(2, w // 40)
    for row, y in enumerate(range(0, h + size, max(3, size // 2))):
        for x in range(-size, w + size, size):
            at = (x + (row % 2) * (size // 2), y)
            for share in (1.0, 0.6):
                axes = (int(size / 2 * share), int(size / 2 * share))
                cv2.ellipse(ink, at, axes, 0, 180, 360, 255, thick, cv2.LINE_AA)
    return (ink / 255).astype(np.float32)


def _waves(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw stripes, straight or wavy."""
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    turn = float(rng.uniform(0, np.pi))
    along, across = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    bend = w * rng.uniform(0, 0.12) * np.sin(along / w * rng.uniform(4, 14))
    step = w * rng.uniform(0.1, 0.4)
    return np.asarray(((across + bend) % step) < step * rng.uniform(0.2, 0.5), np.float32)


def _stone(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw clouds and grain of several sizes, as of stone."""
    total = np.zeros((h, w), np.float32)
    for cells in (3, 6, 12, 24):
        noise = rng.normal(0, 1 / cells**0.6, (cells, cells)).astype(np.float32)
        total += cv2.resize(noise, (w, h), interpolation=cv2.INTER_CUBIC)
    sharp = float(rng.uniform(0.8, 4))
    if rng.random() < 0.5:
        return np.asarray(np.exp(-((total * sharp * 3) ** 2)), np.float32)
    return np.asarray(np.clip(0.5 + total * sharp, 0, 1), np.float32)


def _border(rng: np.random.Generator, h: int, w: int) -> Ink:
    """Draw one or two frames along the edge."""
    ink = np.zeros((h, w), np.uint8)
    inset, thick = int(w * rng.uniform(0.05, 0.14)), max(2, int(w * rng.uniform(0.015, 0.06)))
    for k in range(int(rng.integers(1, 3))):
        d = inset + k * 2 * thick
        cv2.rectangle(ink, (d, d), (w - 1 - d, h - 1 - d), 255, thick, cv2.LINE_AA)
    return (ink / 255).astype(np.float32)


_ORNAMENTS: tuple[_Draw, ...] = (_flower, _star, _ornament, _vines, _lettering, _emblem)
_PATTERNS: tuple[_Draw, ...] = (_lattice, _dots, _scales, _waves, _stone, _border)
