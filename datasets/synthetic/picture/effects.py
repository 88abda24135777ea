"""What a table top, a lamp, a lens and a phone's sensor add to a drawn scene."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

_FELT = (
    (20, 90, 50),
    (15, 60, 35),
    (40, 150, 60),
    (30, 70, 140),
    (150, 40, 50),
    (190, 90, 80),
    (60, 60, 70),
    (90, 50, 110),
    (20, 120, 120),
)
_WOOD = (
    (150, 105, 65),
    (190, 150, 105),
    (110, 70, 40),
    (215, 190, 150),
    (170, 165, 160),
    (80, 55, 40),
)


def background(
    rng: np.random.Generator, height: int, width: int, kind: str = "", clutter: float = 1.2
) -> Image:
    """Draw a table top without tiles, uint8 RGB.

    `kind` is felt, wood, plain, pattern or marble; random if not given.

    Things that are not tiles lie about, `clutter` of them on average.
    """
    kind = kind or str(
        rng.choice(["felt", "wood", "plain", "pattern", "marble"], p=[0.42, 0.24, 0.14, 0.1, 0.1])
    )
    if kind == "felt":
        base = _tint(rng, _FELT, height, width)
        base *= 1 + _noise(rng, height, width, max(height, width) // 2)[..., None] * float(
            rng.uniform(0.01, 0.08)
        )
    elif kind == "wood":
        base = _tint(rng, _WOOD, height, width)
        grain = cv2.resize(
            rng.normal(0, 1, (height // 2, 6)).astype(np.float32),
            (width, height),
            interpolation=cv2.INTER_CUBIC,
        )
        fine = cv2.resize(
            rng.normal(0, 1, (height, 24)).astype(np.float32),
            (width, height),
            interpolation=cv2.INTER_LINEAR,
        )
        base *= 1 + (grain * float(rng.uniform(0.03, 0.12)) + fine * 0.03)[..., None]
        if rng.random() < 0.5:
            step = int(rng.integers(60, 220))
            base[int(rng.integers(step)) :: step] *= 0.55
        if rng.random() < 0.5:
            base = np.ascontiguousarray(np.rot90(cv2.resize(base, (height, width))))
    elif kind == "plain":
        base = np.empty((height, width, 3), np.float32)
        base[:] = (
            rng.uniform(30, 250, 3) if rng.random() < 0.6 else np.full(3, rng.uniform(160, 250))
        )
    elif kind == "pattern":
        base = _pattern(rng, height, width)
    else:
        base = _tint(rng, ((230, 230, 228), (70, 72, 78), (200, 185, 165)), height, width)
        base *= 1 + _noise(rng, height, width, 9)[..., None] * float(rng.uniform(0.05, 0.2))
    base *= 1 + _noise(rng, height, width, 4)[..., None] * float(rng.uniform(0.01, 0.1))
    image: Image = np.clip(base, 0, 255).astype(np.uint8)
    for _ in range(int(rng.poisson(clutter))):
        _clutter(rng, image)
    return image


def _tint(
    rng: np.random.Generator, palette: tuple[tuple[int, int, int], ...], height: int, width: int
) -> NDArray[np.float32]:
    base = np.empty((height, width, 3), np.float32)
    base[:] = np.clip(
        np.array(palette[int(rng.integers(len(palette)))]) + rng.normal(0, 16, 3), 5, 250
    )
    return base


def _noise(rng: np.random.Generator, height: int, width: int, cells: int) -> NDArray[np.float32]:
    cells = max(2, min(cells, 512))
    coarse = rng.normal(0, 1, (cells, cells)).astype(np.float32)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.float32)


def _pattern(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float32]:
    """Draw a chequered or striped cloth."""
    a, b = rng.uniform(20, 250, 3), rng.uniform(20, 250, 3)
    step = float(rng.uniform(12, 60))
    angle = float(rng.uniform(0, np.pi))
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    u, v = x * np.cos(angle) + y * np.sin(angle), -x * np.sin(angle) + y * np.cos(angle)
    mask = (np.sin(u / step * np.pi) > 0) ^ (
        (np.sin(v / step * np.pi) > 0) if rng.random() < 0.6 else False
    )
    base = np.where(mask[..., None], a, b).astype(np.float32)
    mixed: NDArray[np.float32] = base * 0.6 + base.mean((0, 1)) * 0.4
    return mixed


def _clutter(rng: np.random.Generator, image: Image) -> None:
    """Draw things that are not tiles: paper, phones, dice, coasters, a hand."""
    height, width = image.shape[:2]
    centre = rng.uniform(-0.05, 1.05, 2) * (width, height)
    kind = rng.choice(["paper", "phone", "round", "hand", "dice", "frame"])
    size = float(rng.uniform(0.04, 0.3)) * width
    angle = float(rng.uniform(0, 180))
    if kind in ("paper", "phone", "frame"):
        ratio = float(rng.uniform(0.5, 1.4))
        box = cv2.boxPoints((tuple(centre), (size, size * ratio), angle)).astype(np.int32)
        colour = {
            "paper": rng.uniform(200, 255, 3),
            "phone": rng.uniform(5, 50, 3),
            "frame": rng.uniform(180, 255, 3),
        }[str(kind)]
        cv2.fillConvexPoly(image, box, tuple(float(c) for c in colour), cv2.LINE_AA)
        if kind == "frame":
            inner = cv2.boxPoints((tuple(centre), (size * 0.8, size * ratio * 0.8), angle)).astype(
                np.int32
            )
            cv2.polylines(
                image,
                [inner],
                True,
                tuple(float(c) for c in rng.uniform(0, 200, 3)),
                int(rng.integers(1, 4)),
                cv2.LINE_AA,
            )
        if kind == "paper":
            for _ in range(int(rng.integers(0, 7))):
                a = centre + rng.uniform(-0.35, 0.35, 2) * size
                b = a + rng.uniform(-0.25, 0.25, 2) * size
                ends = tuple(int(v) for v in a), tuple(int(v) for v in b)
                cv2.line(
                    image,
                    *ends,
                    tuple(float(c) for c in rng.uniform(0, 150, 3)),
                    int(rng.integers(1, 4)),
                    cv2.LINE_AA,
                )
    elif kind == "round":
        cv2.circle(
            image,
            tuple(int(v) for v in centre),
            int(size / 2),
            tuple(float(c) for c in rng.uniform(0, 255, 3)),
            -1,
            cv2.LINE_AA,
        )
    elif kind == "dice":
        box = cv2.boxPoints((tuple(centre), (size * 0.2, size * 0.2), angle)).astype(np.int32)
        cv2.fillConvexPoly(image, box, (245.0, 245.0, 240.0), cv2.LINE_AA)
        cv2.circle(
            image,
            tuple(int(v) for v in centre),
            max(1, int(size * 0.03)),
            (200.0, 20.0, 20.0),
            -1,
            cv2.LINE_AA,
        )
    else:
        draw_fingers(rng, image, (float(centre[0]), float(centre[1])), size)


def draw_fingers(
    rng: np.random.Generator, image: Image, centre: tuple[float, float], size: float
) -> None:
    """Draw a hand-like shape in a skin tone."""
    tone = np.array((224, 172, 140)) * float(rng.uniform(0.45, 1.1))
    colour = tuple(float(min(255, c)) for c in tone)
    heading = float(rng.uniform(0, 2 * np.pi))
    cv2.ellipse(
        image,
        (int(centre[0]), int(centre[1])),
        (int(size * 0.5), int(size * 0.4)),
        np.degrees(heading),
        0,
        360,
        colour,
        -1,
        cv2.LINE_AA,
    )
    for k in range(int(rng.integers(1, 5))):
        direction = heading + (k - 1.5) * 0.28
        tip = (int(centre[0] + np.cos(direction) * size), int(centre[1] + np.sin(direction) * size))
        shade = tuple(float(min(255, c * (0.94 + 0.04 * k))) for c in tone)
        cv2.line(
            image,
            (int(centre[0]), int(centre[1])),
            tip,
            shade,
            max(3, int(size * 0.2)),
            cv2.LINE_AA,
        )


def photograph(rng: np.random.Generator, image: Image, strength: float = 1.0) -> Image:
    """Add light falloff, mixed colour, glare, blur, sensor noise and JPEG artefacts at random.

    Args:
        strength: 0 leaves the picture almost clean, 1 is the spread of real phone photos.
    """
    height, width = image.shape[:2]
    out = image.astype(np.float32) / 255
    ramp = _ramp(rng, height, width)
    out *= 1 + strength * float(rng.uniform(0, 0.35)) * ramp[..., None]
    if rng.random() < 0.35 * strength:
        out *= _hard_shadow(rng, height, width, strength)[..., None]
    out *= 1 + strength * rng.normal(0, 0.06, 3).astype(np.float32)
    if rng.random() < 0.3:
        warm = rng.normal(0, 0.08, 3).astype(np.float32) * strength
        out *= 1 + ramp[..., None] * warm
    if rng.random() < 0.3 * strength:
        out += _glare(rng, height, width)[..., None]
    mean = float(out.mean())
    out = (out - mean) * float(1 + strength * rng.uniform(-0.25, 0.25)) + mean * float(
        1 + strength * rng.uniform(-0.35, 0.3)
    )
    out = np.clip(out, 0, 1.3) ** float(np.exp(strength * rng.normal(0, 0.16)))
    grey = out.mean(2, keepdims=True)
    out = grey + (out - grey) * float(1 + strength * rng.uniform(-0.4, 0.3))
    out = _blur(rng, np.clip(out, 0, 1).astype(np.float32), strength).astype(np.float32)
    if rng.random() < 0.7:
        sigma = strength * float(rng.uniform(0.002, 0.03))
        coarse = rng.random() < 0.4
        noise = rng.normal(
            0, sigma, (height // 2, width // 2, 3) if coarse else (height, width, 3)
        ).astype(np.float32)
        out = out + (cv2.resize(noise, (width, height)) if coarse else noise)
    done: Image = np.clip(out * 255, 0, 255).astype(np.uint8)
    if rng.random() < 0.6 * strength:
        quality = int(rng.integers(35, 92))
        ok, data = cv2.imencode(".jpg", done, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if ok:
            done = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return done


def _ramp(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float32]:
    angle = float(rng.uniform(0, 2 * np.pi))
    x = np.linspace(-1, 1, width, dtype=np.float32)[None] * np.float32(np.cos(angle))
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None] * np.float32(np.sin(angle))
    return ((x + y) / 1.4).astype(np.float32)


def _hard_shadow(
    rng: np.random.Generator, height: int, width: int, strength: float
) -> NDArray[np.float32]:
    """Draw the shadow of the photographer, a phone or a lamp's rim."""
    mask = np.zeros((height // 4, width // 4), np.uint8)
    points = (
        rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * (width / 4, height / 4)
    ).astype(np.int32)
    cv2.fillConvexPoly(mask, cv2.convexHull(points), 255)
    soft = cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(1, 12)))
    soft = cv2.resize(soft, (width, height)).astype(np.float32) / 255
    return (1 - strength * float(rng.uniform(0.1, 0.5)) * soft).astype(np.float32)


def _glare(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float32]:
    small = np.zeros((height // 8, width // 8), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        centre = (int(rng.uniform(0, width / 8)), int(rng.uniform(0, height / 8)))
        axes = (int(rng.uniform(2, 2 + width / 45)), int(rng.uniform(2, 2 + width / 70)))
        cv2.ellipse(
            small,
            centre,
            axes,
            float(rng.uniform(0, 180)),
            0,
            360,
            float(rng.uniform(0.2, 0.9)),
            -1,
        )
    if rng.random() < 0.3:
        _window(rng, small)
    soft = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(1, 6)))
    return cv2.resize(soft, (width, height)).astype(np.float32)


def _window(rng: np.random.Generator, small: NDArray[np.float32]) -> None:
    """Draw the reflection of a window or tube lamp: a pale slanted quadrangle, maybe with a bar."""
    height, width = small.shape
    centre = rng.uniform(0.1, 0.9, 2) * (width, height)
    size = (float(rng.uniform(0.03, 0.3)) * width, float(rng.uniform(0.02, 0.12)) * width)
    corners = cv2.boxPoints(
        ((float(centre[0]), float(centre[1])), size, float(rng.uniform(0, 180)))
    )
    corners = corners + rng.normal(0, 0.01 * width, (4, 2))
    cv2.fillConvexPoly(small, corners.astype(np.int32), float(rng.uniform(0.15, 0.6)))
    if rng.random() < 0.5:
        a, b = ((corners[i] + corners[i + 1]) / 2 for i in (0, 2))
        cv2.line(small, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), 0.0, 1)


def _blur(
    rng: np.random.Generator, image: NDArray[np.float32], strength: float
) -> NDArray[np.float32]:
    choice = rng.random()
    width = image.shape[1]
    if choice < 0.45:
        return image
    if choice < 0.75:
        sigma = max(0.2, strength * float(rng.uniform(0.3, 0.3 + 0.0013 * width)))
        return cv2.GaussianBlur(image, (0, 0), sigma).astype(np.float32)
    if choice < 0.9:
        length = max(2, int(strength * rng.uniform(2, 2 + 0.005 * width)))
        kernel = np.zeros((length, length), np.float32)
        cv2.line(kernel, (0, 0), (length - 1, length - 1), 1.0)
        turn = cv2.getRotationMatrix2D((length / 2, length / 2), float(rng.uniform(0, 180)), 1)
        turned = cv2.warpAffine(kernel, turn, (length, length)).astype(np.float32)
        return cv2.filter2D(image, -1, turned / max(float(turned.sum()), 1e-6)).astype(np.float32)
    scale = float(rng.uniform(0.45, 0.9))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return cv2.resize(
        small, (image.shape[1], image.shape[0]), interpolation=cv2.INTER_LINEAR
    ).astype(np.float32)
