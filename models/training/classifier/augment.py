"""Augmentation of crops in training: view, ink, light, sharpness."""

from __future__ import annotations

import math

import torch
from torch import nn

from hupai.models.training.classifier.crops import CONTEXT
from hupai.models.training.classifier.network import INPUT
from hupai.vision.detection.crops import VIEW
from hupai.vision.detection.upright import height_share


def warp(
    patches: torch.Tensor,
    axes: torch.Tensor,
    rng: torch.Generator,
    train: bool,
    upright: bool = False,
    side: int = INPUT,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cut the views out of patches (n, 3, PATCH, PATCH); return them with their tiles' axes (n,).

    In training, views are turned, scaled and shifted at random, and the axes turned accordingly.

    Args:
        patches, axes: the patches, and their axes in radians, NaN if unknown.
        rng: draws the changes.
        train: change the view at random.
        upright: turn tiles upright or upside down, at the same size, as for
            `hupai.vision.detection.upright`; tiles with an unknown axis are not.
        side: side of the view, pixels.
    """
    n = len(patches)
    known = ~torch.isnan(axes) & upright
    base = torch.where(known, axes.float() - math.pi / 2, torch.zeros(n))
    share = torch.from_numpy(height_share(base.numpy())).float()
    zoom = VIEW / CONTEXT * torch.where(known, share, torch.ones(n))
    if not train:
        return _cut(patches, side, base, zoom, zoom, torch.zeros(n, 2)), axes - base
    quarters = torch.randint(0, 4, (n,), generator=rng)
    quarter = torch.where(known, quarters % 2 * 2, quarters) * (math.pi / 2)
    often, spread = (0.15, _axis_errors(n, rng)) if upright else (0.2, _any_slant(n, rng))
    small = torch.randn(n, generator=rng) * (0.09 if upright else 0.12)
    angle = base + quarter + small + (torch.rand(n, generator=rng) < often) * spread
    sx = zoom * torch.exp(torch.randn(n, generator=rng) * 0.08)
    sy = sx * torch.exp(torch.randn(n, generator=rng) * 0.06)
    # Stretched photos: the face is squeezed in one direction, and more of its neighbours is
    # visible.
    squeezed = (torch.rand(n, 2, generator=rng) < 0.07) * torch.rand(n, 2, generator=rng) * 0.4 + 1
    sx, sy = sx * squeezed[:, 0], sy * squeezed[:, 1]
    shift = torch.randn(n, 2, generator=rng) * 0.045
    return _cut(patches, side, angle, sx, sy, shift), axes - angle


def _any_slant(n: int, rng: torch.Generator) -> torch.Tensor:
    """Draw angles of up to an eighth of a turn, either way."""
    return (torch.rand(n, generator=rng) - 0.5) * (math.pi / 2)


def _axis_errors(n: int, rng: torch.Generator) -> torch.Tensor:
    """Draw errors of axes, radians: the classifier's median error is 0.05, sometimes it is 0.3."""
    return torch.randn(n, generator=rng) * 0.2


def _cut(
    patches: torch.Tensor,
    side: int,
    angle: torch.Tensor,
    sx: torch.Tensor,
    sy: torch.Tensor,
    shift: torch.Tensor,
) -> torch.Tensor:
    """Cut crops out of patches, turned by angles (n,), scaled, and shifted by shares (n, 2).

    Their side is given in pixels.
    """
    c, s = torch.cos(angle), torch.sin(angle)
    row0 = torch.stack([c * sx, -s * sy, shift[:, 0]], 1)
    row1 = torch.stack([s * sx, c * sy, shift[:, 1]], 1)
    shape = [len(patches), 3, side, side]
    grid = nn.functional.affine_grid(torch.stack([row0, row1], 1), shape, align_corners=False)
    return nn.functional.grid_sample(patches, grid, align_corners=False, padding_mode="border")


def reink(x: torch.Tensor, rng: torch.Generator, which: torch.Tensor) -> torch.Tensor:
    """Change the ink of the crops in a mask (n,): colours swapped, or all ink of one colour.

    This makes the network learn shapes, not colours.
    """
    n = len(x)
    order = torch.arange(3).repeat(n, 1)
    swapped = (torch.rand(n, generator=rng) < 0.12) & which
    order[swapped] = torch.rand(int(swapped.sum()), 3, generator=rng).argsort(1)
    x = torch.gather(x, 1, order[:, :, None, None].expand_as(x))
    grey = x.mean(1, keepdim=True)
    bright = grey.amax((2, 3), keepdim=True).clamp(min=1e-3)
    density = ((bright - grey) / bright).clamp(0, 1)
    ink = torch.rand(n, 3, 1, 1, generator=rng) * 0.35
    ink[torch.arange(n), torch.randint(0, 3, (n,), generator=rng)] += 0.45
    single = (torch.rand(n, 1, 1, 1, generator=rng) < 0.12).float() * which[:, None, None, None]
    return x + (bright * (1 - density * (1 - ink)) - x) * single


def motion_blur(
    x: torch.Tensor, rng: torch.Generator, share: float = 0.2, most: int = 9
) -> torch.Tensor:
    """Apply motion blur to a share of the crops, along lines of up to `most` pixels.

    Eight crops share a line.
    """
    n = len(x)
    smeared = x.clone()
    for some in (torch.rand(n, generator=rng) < share).nonzero()[:, 0].split(8):
        angle, length = torch.rand(2, generator=rng).tolist()
        angle, length = angle * math.pi, 2 + length * (most - 2)
        steps = torch.arange(most) - most // 2
        along = (length / 2 + 0.5 - steps.abs()).clamp(0, 1)
        row = (steps * math.sin(angle)).round().long() + most // 2
        column = (steps * math.cos(angle)).round().long() + most // 2
        kernel = torch.zeros(most, most).index_put((row, column), along, accumulate=True)
        padded = nn.functional.pad(x[some], (most // 2,) * 4, mode="replicate")
        smeared[some] = nn.functional.conv2d(
            padded, (kernel / kernel.sum()).expand(3, 1, most, most), groups=3
        )
    return smeared


def recolour(x: torch.Tensor, rng: torch.Generator, any_ink: torch.Tensor) -> torch.Tensor:
    """Change ink, light, white balance and sharpness.

    Args:
        x: crops (n, 3, INPUT, INPUT), from 0 to 1.
        rng: draws the changes.
        any_ink: shape (n,), which crops show the same tile in inks of any colour.
    """
    x = reink(x, rng, any_ink)
    n = len(x)
    gain = 1 + torch.randn(n, 3, 1, 1, generator=rng) * 0.07
    level = torch.exp(torch.randn(n, 1, 1, 1, generator=rng) * 0.22)
    mean = x.mean((1, 2, 3), keepdim=True)
    contrast = torch.exp(torch.randn(n, 1, 1, 1, generator=rng) * 0.2)
    x = ((x - mean) * contrast + mean) * gain * level
    grey = x.mean(1, keepdim=True)
    colour = (torch.rand(n, 1, 1, 1, generator=rng) * 1.1 + 0.15).clamp(max=1.2)
    colour[(torch.rand(n, generator=rng) < 0.5) | ~any_ink] = 1.0
    x = grey + (x - grey) * colour
    blurred = nn.functional.avg_pool2d(nn.functional.pad(x, (1, 1, 1, 1), mode="replicate"), 3, 1)
    share = torch.rand(n, 1, 1, 1, generator=rng) * (torch.rand(n, 1, 1, 1, generator=rng) < 0.4)
    x = x + (blurred - x) * share
    half = nn.functional.interpolate(
        nn.functional.avg_pool2d(x, 2), scale_factor=2, mode="bilinear"
    )
    coarse = (torch.rand(n, 1, 1, 1, generator=rng) < 0.2).float()
    x = motion_blur(x + (half - x) * coarse, rng)
    noise = torch.randn(x.shape, generator=rng) * (torch.rand(n, 1, 1, 1, generator=rng) * 0.04)
    return (x + noise).clamp(0, 1)
