"""Makes a trained crop classifier wider and deeper without changing its outputs.

Training continues from there (Chen et al., Net2Net, 2016): new channels are copies, and the weights
of their consumers are divided among them; new blocks start as the identity.
"""

from __future__ import annotations

import torch

from hupai.models.training.classifier.network import CropClassifier, Shape, State

NOISE = 0.05
"""Noise on copied weights, in their standard deviations, so that the copies become different."""


def grown(
    network: CropClassifier, shape: Shape, seed: int = 0, noise: float = NOISE
) -> CropClassifier:
    """Return a larger network with the same outputs.

    Args:
        network: the trained one.
        shape: form of the larger one.
        seed: seed of the choice of channels to copy, and of new weights.
        noise: noise on copied weights, in their standard deviations; 0 keeps the outputs exactly.

    Raises:
        ValueError: if the network would be smaller anywhere.
    """
    state = network.state_dict()
    old = Shape.of(state)
    now, new = (*old.widths, *old.depths), (*shape.widths, *shape.depths)
    if any(after < before for before, after in zip(now, new, strict=True)):
        raise ValueError(f"{shape} is smaller than {old} somewhere; a network can only grow")
    torch.manual_seed(seed)
    larger = CropClassifier(shape)
    growth = _Growth(state, larger.state_dict(), noise)
    channels = growth.copies(old.widths[0], shape.widths[0])
    growth.layer(("stem.0", "stem.1"), ("stem.0", "stem.1"), torch.arange(3), channels)
    first, first_old = 0, 0
    for stage in range(3):
        widths = old.widths[stage + 1], shape.widths[stage + 1]
        outside = growth.copies(*widths)
        for block in range(shape.depths[stage]):
            to = f"body.{first + block}."
            if block >= old.depths[stage]:
                growth.state[f"{to}bn.weight"].zero_()
                continue
            of = f"body.{first_old + block}."
            inside = growth.copies(*widths)
            growth.layer((f"{of}a", f"{of}an"), (f"{to}a", f"{to}an"), channels, inside)
            growth.layer((f"{of}b", f"{of}bn"), (f"{to}b", f"{to}bn"), inside, outside)
            if block == 0:
                growth.layer((f"{of}shortcut", ""), (f"{to}shortcut", ""), channels, outside)
            channels = outside
        first, first_old = first + shape.depths[stage], first_old + old.depths[stage]
    growth.head(channels)
    larger.load_state_dict(growth.state)
    return larger


class _Growth:
    """The weights of the larger network while they are filled in."""

    def __init__(self, old: State, new: State, noise: float) -> None:
        self._old, self.state, self._noise = old, new, noise

    @staticmethod
    def copies(old: int, new: int) -> torch.Tensor:
        """Draw, for each of the `new` channels, which of the `old` channels it copies."""
        return torch.cat([torch.arange(old), torch.randint(0, old, (new - old,))])

    def layer(
        self,
        of: tuple[str, str],
        to: tuple[str, str],
        inside: torch.Tensor,
        outside: torch.Tensor,
    ) -> None:
        """Fill a convolution and its normalisation.

        Args:
            of: their names in the old network; no normalisation if its name is empty.
            to: their names in the new one.
            inside, outside: the old channel of each new channel of its input and output.
        """
        weight = self._old[f"{of[0]}.weight"]
        counts = torch.bincount(inside, minlength=weight.shape[1])
        wide = weight[outside][:, inside] / counts[inside][None, :, None, None]
        copied = torch.zeros(wide.shape[:2], dtype=torch.bool)
        copied[weight.shape[0] :] = True
        copied[:, weight.shape[1] :] = True
        scatter = torch.randn(wide.shape) * weight.std() * self._noise
        self.state[f"{to[0]}.weight"] = wide + scatter * copied[:, :, None, None]
        if of[1]:
            for part in ("weight", "bias", "running_mean", "running_var"):
                self.state[f"{to[1]}.{part}"] = self._old[f"{of[1]}.{part}"][outside]

    def head(self, inside: torch.Tensor) -> None:
        """Fill the last layer, which takes the mean and then the maximum of each channel."""
        weight = self._old["head.weight"]
        width = weight.shape[1] // 2
        share = 1 / torch.bincount(inside, minlength=width)[inside]
        halves = [weight[:, half][:, inside] * share for half in (slice(width), slice(width, None))]
        self.state["head.weight"] = torch.cat(halves, 1)
        self.state["head.bias"] = self._old["head.bias"]
