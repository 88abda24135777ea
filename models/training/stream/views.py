"""Random views of pictures that lie in the memory of a GPU, with their targets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import torch
from torch import nn

from hupai.models.training.detector.axes import axes_of
from hupai.models.training.stream.chunks import SIDE
from hupai.vision.detection.picture import FILL

LEAST_SHARE = 0.35
"""Share of a tile's box that must be on the view."""

LEAST_SIDE = 3.5
"""Shorter side of a tile's box on the view, pixels."""

WHOLE = 0.97
"""Share of a box that must be on the view for its direction to count as known."""

ZOOMS = (0.6, 2.2)
"""Minimum and maximum scale, relative to that which shows the whole picture."""

SMALL_ZOOMS = (0.9, 3.0)
"""The same for views of half the size, of which four make one."""

STRETCHED = 0.25
"""Share of the views with one side squeezed, as by a low camera or a square photo."""

TURNED = 0.3
"""Share of the rendered pictures turned by any angle; others by some degrees."""

MOSAICS = 0.25
"""Share of the views made of four smaller ones."""

_AT_ONCE = 16
"""Pictures that a GPU samples at a time; more would take memory and save no time."""

_HALVED_BELOW = 0.6
"""Scale below which a CPU halves a picture before it samples the view."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Pictures with their tiles.

    Attributes:
        images: uint8, (n, SIDE, SIDE, 3).
        sizes: (n, 2), width and height that are not padding.
        quads: (n, t, 4, 2), pixels.
        classes: (n, t), -1 where there is no tile.
        directed: (n, t), whether the corners tell the direction.
        real: (n,), photos, whose boxes may be looser than the tile: these are not turned.
    """

    images: torch.Tensor
    sizes: torch.Tensor
    quads: torch.Tensor
    classes: torch.Tensor
    directed: torch.Tensor
    real: torch.Tensor

    def only(self, which: torch.Tensor) -> Stored:
        """Select by indices."""
        return Stored(
            self.images[which],
            self.sizes[which],
            self.quads[which],
            self.classes[which],
            self.directed[which],
            self.real[which],
        )


@dataclass(frozen=True, slots=True)
class Views:
    """Views of one size with the tiles on them.

    Attributes:
        images: (n, 3, size, size), RGB from 0 to 1.
        quads: (n, t, 4, 2), pixels of the view.
        classes: (n, t), -1 where there is no tile.
        directed: (n, t).
    """

    images: torch.Tensor
    quads: torch.Tensor
    classes: torch.Tensor
    directed: torch.Tensor

    def targets(self) -> dict[str, torch.Tensor]:
        """Return what `hupai.models.training.detector.axes.AxesLoss` compares with.

        Returns:
            Of all m tiles ``batch_idx`` (m,), ``cls`` (m,), ``bboxes`` (m, 4) as centre and size in
            shares of the view, ``axes`` (m, 6), NaN if unknown; and ``starts`` (n,),
            the index of each view's first tile.
        """
        size = self.images.shape[-1]
        low, high = self.quads.amin(2), self.quads.amax(2)
        inside = (low.clamp(0, size), high.clamp(0, size))
        sides = inside[1] - inside[0]
        share = sides.prod(-1) / (high - low).prod(-1).clamp(min=1e-3)
        kept = (self.classes >= 0) & (share >= LEAST_SHARE) & (sides.amin(-1) >= LEAST_SIDE)
        view, _ = kept.nonzero(as_tuple=True)
        axes = axes_of(self.quads[kept])
        axes[~(self.directed & (share >= WHOLE))[kept]] = math.nan
        counts = kept.sum(1)
        return {
            "batch_idx": view.float(),
            "cls": self.classes[kept].float(),
            "bboxes": torch.cat([(inside[0] + inside[1]) / 2, sides], -1)[kept] / size,
            "axes": axes,
            "starts": counts.cumsum(0) - counts,
        }


def training_views(
    stored: Stored, count: int, size: int, rng: torch.Generator, real_share: float
) -> Views:
    """Draw views, some of them made of four.

    Args:
        stored: all pictures.
        count: number of views.
        size: side of the views, pixels; a multiple of 64.
        rng: generator on the device that holds the pictures.
        real_share: share of photos.
    """
    fours = round(count * MOSAICS)
    single = view(stored.only(_draw(stored.real, count - fours, rng, real_share)), size, rng)
    if not fours:
        return replace(single, images=recolour(single.images, rng))
    drawn = stored.only(_draw(stored.real, 4 * fours, rng, real_share))
    small = view(drawn, size // 2, rng, SMALL_ZOOMS)
    four = _mosaic(small)
    images = recolour(torch.cat([single.images, four.images]), rng)
    return Views(
        images,
        torch.cat([_padded(single.quads, four.quads.shape[1], 0.0), four.quads]),
        torch.cat([_padded(single.classes, four.quads.shape[1], -1), four.classes]),
        torch.cat([_padded(single.directed, four.quads.shape[1], False), four.directed]),
    )


def _draw(real: torch.Tensor, count: int, rng: torch.Generator, real_share: float) -> torch.Tensor:
    """Draw the indices (count,) of pictures."""
    share = real.float().mean()
    weight = torch.where(real, real_share / share, (1 - real_share) / (1 - share))
    return torch.multinomial(weight, count, replacement=True, generator=rng)


def _padded(values: torch.Tensor, length: int, fill: float) -> torch.Tensor:
    """Lengthen the second axis."""
    more = torch.full_like(values[:, :1], fill).repeat_interleave(length - values.shape[1], 1)
    return torch.cat([values, more], 1)


def view(
    stored: Stored, size: int, rng: torch.Generator, zooms: tuple[float, float] = ZOOMS
) -> Views:
    """Return a random view of each picture: scaled, shifted, squeezed, mirrored and turned."""
    n, device = len(stored.sizes), stored.sizes.device

    def uniform(low: float, high: float) -> torch.Tensor:
        return torch.rand(n, generator=rng, device=device) * (high - low) + low

    def chance(share: float) -> torch.Tensor:
        return torch.rand(n, generator=rng, device=device) < share

    longest = stored.sizes.amax(1)
    zoom = torch.exp(uniform(math.log(zooms[0]), math.log(zooms[1])))
    scale = (size / longest * zoom)[:, None].repeat(1, 2)
    one = torch.ones_like(zoom)
    squeezed = torch.where(chance(STRETCHED), torch.exp(uniform(math.log(0.5), 0.0)), one)
    across = chance(0.5)
    scale = scale * torch.stack(
        [torch.where(across, squeezed, one), torch.where(across, one, squeezed)], 1
    )
    mirrored = torch.stack([chance(0.5), chance(0.5)], 1)
    scale = torch.where(mirrored, -scale, scale)
    angle = torch.where(chance(TURNED), uniform(-math.pi, math.pi), 0.06 * uniform(-1.7, 1.7))
    angle = torch.where(stored.real, torch.zeros_like(angle), angle)
    cos, sin = torch.cos(angle), torch.sin(angle)
    turn = torch.stack([torch.stack([cos, -sin], 1), torch.stack([sin, cos], 1)], 1)
    matrix = turn * scale[:, None]  # columns scaled: squeezed first, then turned
    free = (1 - 1 / zoom).abs().clamp(min=0.1)[:, None]
    centre = stored.sizes * (0.5 + (torch.rand(n, 2, generator=rng, device=device) - 0.5) * free)
    quads = (stored.quads - centre[:, None, None]) @ matrix.transpose(1, 2)[:, None] + size / 2
    return Views(
        _sampled(stored.images, matrix, centre, size), quads, stored.classes, stored.directed
    )


def _sampled(
    images: torch.Tensor, matrix: torch.Tensor, centre: torch.Tensor, size: int
) -> torch.Tensor:
    """Sample views (n, 3, size, size).

    Pictures are reduced before they are sampled, so that small views have no aliasing: on a GPU
    views are sampled at twice their size, on a CPU pictures are halved.

    Args:
        images: uint8, (n, SIDE, SIDE, 3).
        matrix: (n, 2, 2), from pixels of the picture to pixels of the view.
        centre: (n, 2), the point of the picture in the middle of the view, pixels.
        size: of the views, pixels.
    """
    if not images.is_cuda:
        return sampled_on_cpu(images, matrix, centre, size)
    back = torch.linalg.inv(matrix) * (size / SIDE)
    shift = centre * (2 / SIDE) - 1
    theta = torch.cat([back, shift[:, :, None]], 2)
    grey = FILL / 255
    parts = []
    for start in range(0, len(images), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        pixels = images[some].permute(0, 3, 1, 2).float() / 255 - grey
        grid = nn.functional.affine_grid(
            theta[some], [len(pixels), 3, 2 * size, 2 * size], align_corners=False
        )
        fine = nn.functional.grid_sample(pixels, grid, align_corners=False)
        parts.append(nn.functional.avg_pool2d(fine, 2) + grey)
    return torch.cat(parts)


def sampled_on_cpu(
    images: torch.Tensor, matrix: torch.Tensor, centre: torch.Tensor, size: int
) -> torch.Tensor:
    """Sample views as `_sampled` does, on a CPU in less time."""
    views = np.empty((len(images), size, size, 3), np.uint8)
    for image, linear, middle, view in zip(
        images.numpy(), matrix.double().numpy(), centre.numpy(), views, strict=True
    ):
        offset = size / 2 - linear @ middle
        if abs(np.linalg.det(linear)) < _HALVED_BELOW**2:
            image = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            linear = linear * 2
        # The matrix is for coordinates of pixels' corners, OpenCV counts from their centres.
        offset = offset + (linear.sum(1) - 1) / 2
        affine = np.concatenate([linear, offset[:, None]], 1)
        cv2.warpAffine(image, affine, (size, size), dst=view, borderValue=(FILL, FILL, FILL))
    return torch.from_numpy(views).permute(0, 3, 1, 2).float() / 255


def _mosaic(small: Views) -> Views:
    """Put every four views together to one of twice the size."""
    n, side = len(small.images) // 4, small.images.shape[-1]
    shift = small.quads.new_tensor([(0, 0), (side, 0), (0, side), (side, side)])
    inside = ((small.quads.mean(2) > 0) & (small.quads.mean(2) < side)).all(-1)
    classes = torch.where(inside, small.classes, torch.full_like(small.classes, -1))
    # A tile ends where its quarter does.
    quads = small.quads.clamp(0, side)
    directed = small.directed & (quads == small.quads).all(-1).all(-1)
    quads = quads + shift.repeat(n, 1)[:, None, None]
    images = small.images.unflatten(0, (n, 2, 2)).permute(0, 3, 1, 4, 2, 5)
    return Views(
        images.reshape(n, 3, 2 * side, 2 * side),
        quads.unflatten(0, (n, 4)).flatten(1, 2),
        classes.unflatten(0, (n, 4)).flatten(1, 2),
        directed.unflatten(0, (n, 4)).flatten(1, 2),
    )


def recolour(x: torch.Tensor, rng: torch.Generator) -> torch.Tensor:
    """Change light, white balance, saturation and sharpness of pictures (n, 3, h, w)."""
    n = len(x)

    def normal(spread: float, channels: int = 1) -> torch.Tensor:
        return torch.randn(n, channels, 1, 1, generator=rng, device=x.device) * spread

    def chance(share: float) -> torch.Tensor:
        return torch.rand(n, 1, 1, 1, generator=rng, device=x.device) < share

    mean = x.mean((1, 2, 3), keepdim=True)
    contrast, light = torch.exp(normal(0.18)), torch.exp(normal(0.22))
    shift, balance = normal(0.03), 1 + normal(0.06, 3)
    # Contrast around the mean, light, shift and white balance in one product and one sum.
    x = x * (contrast * light * balance) + (mean * (1 - contrast) * light + shift) * balance
    grey = x.mean(1, keepdim=True)
    saturation = torch.exp(normal(0.35)).clamp(max=1.8) * ~chance(0.03)
    x = torch.lerp(grey, x, saturation)
    swapped, blurred, noisy = (chance(share).flatten() for share in (0.03, 0.15, 0.5))
    x[swapped] = x[swapped].flip(1)
    wide = nn.functional.pad(x[blurred], (1, 1, 1, 1), mode="replicate")
    x[blurred] = nn.functional.avg_pool2d(wide, 3, 1)
    level = normal(0.02).abs()[noisy]
    noise = torch.randn((len(level), *x.shape[1:]), generator=rng, device=x.device)
    x[noisy] += noise * level
    return x.clamp_(0, 1)
