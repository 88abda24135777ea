"""The effects of lens, lamp and sensor on a drawn table, in integer arithmetic for speed."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.picture.lens import Lens

Image = NDArray[np.uint8]


def photograph(rng: np.random.Generator, image: Image, strength: float) -> Image:
    """Add uneven and coloured light, shadow, contrast, blur, noise and sharpening, at random.

    Args:
        strength: 0 leaves the picture almost clean, 1 is the spread of real phone photos.
    """
    height, width = image.shape[:2]
    out = cv2.multiply(image, _light(rng, height, width, strength), scale=1 / 128)
    out = cv2.LUT(out, _curves(rng, strength)).astype(np.uint8)
    if rng.random() < 0.35:
        grey = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
        share = float(1 + strength * rng.uniform(-0.5, 0.35))
        out = cv2.addWeighted(out, share, grey, 1 - share, 0)
    out = _soft(rng, out.astype(np.uint8), strength)
    if rng.random() < 0.6:
        out = _noisy(rng, out, strength)
    if rng.random() < 0.35:
        blurred = cv2.GaussianBlur(out, (0, 0), 1.2)
        amount = float(rng.uniform(0.3, 1.1))
        out = cv2.addWeighted(out, 1 + amount, blurred, -amount, 0).astype(np.uint8)
    if rng.random() < 0.25 * strength:
        quality = int(rng.integers(30, 80))
        _, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])
        out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return out.astype(np.uint8, copy=False)


def bent(image: Image, lens: Lens) -> Image:
    """Return the picture through a lens that bends lines and does nothing else, same size."""
    height, width = image.shape[:2]
    step = 16
    y, x = np.mgrid[0 : height + step : step, 0 : width + step : step].astype(np.float32)
    cx, cy = (width - 1) / 2, (height - 1) / 2
    dx, dy = x - cx, y - cy
    factor = 1 - lens.bend * (dx * dx + dy * dy) / np.float32(cx * cx + cy * cy)
    maps = []
    for centre, offset in ((cx, dx), (cy, dy)):
        coarse = (centre + offset * factor).astype(np.float32)
        # Corners of the coarse map are pixels 0, 16, ...: sample between them, not at cell middles.
        size = ((coarse.shape[1] - 1) * step + 1, (coarse.shape[0] - 1) * step + 1)
        grid = np.array([[1 / step, 0, 0], [0, 1 / step, 0]], np.float32)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        maps.append(cv2.warpAffine(coarse, grid, size, flags=flags)[:height, :width])
    return cv2.remap(
        image, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101
    ).astype(np.uint8)


def sheen(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float32]:
    """Draw lamps as a glossy plane reflects them, an eighth of the picture's size, 0 to 1."""
    small = np.zeros((max(4, height // 8 + 2), max(4, width // 8 + 2)), np.float32)
    for _ in range(int(rng.integers(1, 6))):
        centre = (int(rng.uniform(0, small.shape[1])), int(rng.uniform(0, small.shape[0])))
        axes = (int(rng.uniform(2, small.shape[1] / 4)), int(rng.uniform(1, small.shape[1] / 12)))
        power = float(rng.uniform(0.3, 1.0))
        cv2.ellipse(small, centre, axes, float(rng.uniform(0, 180)), 0, 360, power, -1)
    return cv2.GaussianBlur(small, (0, 0), float(rng.uniform(0.8, 4))).astype(np.float32)


def _light(rng: np.random.Generator, height: int, width: int, strength: float) -> Image:
    """Return how much light reaches each pixel, 128 for no change.

    Drawn are a ramp, dark corners, a shadow and a lamp's glare.
    """
    h, w = height // 8 + 1, width // 8 + 1
    y, x = np.linspace(-1, 1, h, dtype=np.float32)[:, None], np.linspace(-1, 1, w, dtype=np.float32)
    turn = float(rng.uniform(0, 2 * np.pi))
    ramp = x * np.float32(np.cos(turn)) + y * np.float32(np.sin(turn))
    gain = 1 + strength * float(rng.uniform(0, 0.3)) * ramp
    if rng.random() < 0.3:
        gain = gain * (1 - strength * float(rng.uniform(0.05, 0.35)) * (x * x + y * y) / 2)
    if rng.random() < 0.3 * strength:
        mask = np.zeros((h, w), np.uint8)
        points = (rng.uniform(-0.3, 1.3, (5, 2)) * (w, h)).astype(np.int32)
        cv2.fillConvexPoly(mask, cv2.convexHull(points), 255)
        edge = cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(0.6, 6))).astype(np.float32) / 255
        gain = gain * (1 - float(rng.uniform(0.15, 0.5)) * edge)
    warm = 1 + strength * rng.normal(0, 0.07, 3).astype(np.float32)
    mixed = rng.normal(0, 0.05, 3).astype(np.float32) * strength if rng.random() < 0.3 else 0.0
    coloured = gain[..., None] * (warm + mixed * ramp[..., None])
    if rng.random() < 0.2 * strength:
        coloured = coloured + sheen(rng, height, width)[:h, :w, None] * float(rng.uniform(0.1, 0.6))
    small = np.clip(coloured * 128, 0, 255).astype(np.uint8)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.uint8)


def _curves(rng: np.random.Generator, strength: float) -> Image:
    """Draw contrast, brightness and gamma as a table (1, 256, 3)."""
    v = np.linspace(0, 1, 256)
    v = np.clip((v - 0.45) * (1 + strength * rng.uniform(-0.3, 0.3)) + 0.45, 0, 1)
    v = np.clip(v * (1 + strength * rng.uniform(-0.4, 0.3)), 0, 1)
    v = v ** float(np.exp(strength * rng.normal(0, 0.18)))
    table = np.clip(v * 255, 0, 255).astype(np.uint8)
    return np.repeat(table[None, :, None], 3, axis=2)


def _soft(rng: np.random.Generator, image: Image, strength: float) -> Image:
    """Blur by defocus, movement or a small sensor, or not."""
    choice, width = rng.random(), image.shape[1]
    if choice < 0.5:
        return image
    if choice < 0.75:
        sigma = max(0.3, strength * float(rng.uniform(0.3, 0.3 + 0.0013 * width)))
        return cv2.GaussianBlur(image, (0, 0), sigma).astype(np.uint8)
    if choice < 0.86:
        length = max(2, int(strength * rng.uniform(2, 2 + 0.006 * width)))
        kernel = np.zeros((length, length), np.float32)
        turn = float(rng.uniform(0, np.pi))
        reach = np.array([np.cos(turn), np.sin(turn)]) * length / 2
        a, b = (length / 2 - reach).astype(int).tolist(), (length / 2 + reach).astype(int).tolist()
        cv2.line(kernel, a, b, 1.0)
        return cv2.filter2D(image, -1, kernel / max(float(kernel.sum()), 1e-6)).astype(np.uint8)
    scale = float(rng.uniform(0.5, 0.9))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, image.shape[1::-1], interpolation=cv2.INTER_LINEAR).astype(np.uint8)


def _noisy(rng: np.random.Generator, image: Image, strength: float) -> Image:
    """Add the sensor's noise, fine or in spots."""
    height, width = image.shape[:2]
    sigma = strength * float(rng.uniform(0.5, 7.0))
    size = (height // 2 + 1, width // 2 + 1) if rng.random() < 0.5 else (height, width)
    noise = np.empty((*size, 3), np.int8)
    cv2.setRNGSeed(int(rng.integers(1 << 30)))
    cv2.randn(noise, np.zeros(3), np.full(3, sigma))
    if size != (height, width):
        noise = cv2.resize(noise, (width, height), interpolation=cv2.INTER_NEAREST).astype(np.int8)
    return cv2.add(image, noise, dtype=cv2.CV_8U).astype(np.uint8)
