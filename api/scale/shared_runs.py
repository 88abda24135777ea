"""Network runs batched over the photos of a replica, so that a GPU gets large batches.

Photos are read in threads. What each wants to run is collected by Ray Serve's dynamic batching and
run at once; a network whose outputs depend on one input row each, as ours do, then gives each photo
what it would have got alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.onnx_session import Network

Arrays = list[NDArray[np.float32]]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run requested by one photo.

    Attributes:
        outputs: names of the outputs.
        name: name of the input.
        rows: the input, shape (n, ...), n > 0.
    """

    outputs: tuple[str, ...]
    name: str
    rows: NDArray[np.float32]


def run_together(network: Network, runs: Sequence[Run]) -> list[Arrays]:
    """Run several photos' inputs as one, for each kind of input; returns the outputs of each."""
    answers: list[Arrays] = [[] for _ in runs]

    def kind(at: int) -> tuple[str, ...]:
        return (*runs[at].outputs, runs[at].name, str(runs[at].rows.shape[1:]))

    for _, same in groupby(sorted(range(len(runs)), key=kind), kind):
        places = list(same)
        first = runs[places[0]]
        rows = np.concatenate([runs[at].rows for at in places])
        found = network.run(first.outputs, {first.name: rows})
        ends = np.cumsum([len(runs[at].rows) for at in places])[:-1]
        for at, *parts in zip(places, *(np.split(one, ends) for one in found), strict=True):
            answers[at] = parts
    return answers


class SharedNetwork:
    """A network whose runs go through a batcher in an event loop; called from other threads.

    Args:
        network: the network itself.
        batcher: takes one run and returns its outputs once its batch is done.
        loop: gives the event loop where the batcher lives.
    """

    def __init__(
        self,
        network: Network,
        batcher: Callable[[Run], Awaitable[Arrays]],
        loop: Callable[[], asyncio.AbstractEventLoop],
    ) -> None:
        self._network, self._batcher, self._loop = network, batcher, loop

    def run(
        self, outputs: Sequence[str] | None, inputs: Mapping[str, NDArray[np.float32]]
    ) -> Arrays:
        """Run in one batch with other photos; see `Network.run`."""
        ((name, rows),) = inputs.items()
        wanted = tuple(outputs or (output.name for output in self._network.get_outputs()))

        async def batched() -> Arrays:
            return await self._batcher(Run(wanted, name, rows))

        return asyncio.run_coroutine_threadsafe(batched(), self._loop()).result()

    def get_modelmeta(self) -> Any:
        """Return the metadata of the file."""
        return self._network.get_modelmeta()

    def get_inputs(self) -> Sequence[Any]:
        """Return the inputs."""
        return self._network.get_inputs()

    def get_outputs(self) -> Sequence[Any]:
        """Return the outputs."""
        return self._network.get_outputs()
