"""Would photos of several requests be read faster in one batch? Milliseconds a photo of the
weights, by batch size.

``python -m benchmarks.batching [--rounds 15] [--threads 0]`` runs detector and classifier alone on
random pixels: batches of 1, 2, 4 and 8 photos of 448 by 448 pixels, and of their 17 crops each.
Sizes take turns in every round, so that a busy machine slows all alike; medians, and the ratio to
one photo at a time, which is what the service does.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from hupai.models import registry
from hupai.vision.detection.onnx_session import open_network, ort

BATCHES = (1, 2, 4, 8)
CROPS = 17
"""Tiles of a hand with a kong and two flowers, about the mean of the development photos."""


def milliseconds(
    model: ort.InferenceSession, pixels: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
) -> float:
    """Time of one run."""
    name = model.get_inputs()[0].name
    started = time.perf_counter()
    model.run(None, {name: pixels})
    return (time.perf_counter() - started) * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how often each size is run")
    parser.add_argument(
        "--threads",
        type=int,
        default=0,
        help="threads of one run; 0 leaves the choice to ONNX Runtime",
    )
    options = parser.parse_args()
    entry = registry.available()[0]
    random = np.random.default_rng(1)
    print(f"{'weights':12}{'photos':>8}{'ms a photo':>12}{'against 1':>11}")
    for kind, shape, each in (("detector", (3, 448, 448), 1), ("classifier", (3, 80, 80), CROPS)):
        model = open_network(entry.path(kind), options.threads)
        inputs = {size: random.random((size * each, *shape), np.float32) for size in BATCHES}
        for pixels in inputs.values():
            milliseconds(model, pixels)
        times: dict[int, list[float]] = {size: [] for size in BATCHES}
        for _ in range(options.rounds):
            for size, pixels in inputs.items():
                times[size].append(milliseconds(model, pixels) / size)
        alone = float(np.median(times[1]))
        for size in BATCHES:
            median = float(np.median(times[size]))
            print(f"{kind:12}{size:8}{median:12.1f}{median / alone:11.2f}", flush=True)


if __name__ == "__main__":
    main()
