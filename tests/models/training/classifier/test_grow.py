"""A larger crop classifier starts with the answers of the smaller one."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip(
    "torch", reason="the train extra is not installed: pip install .[train]"
)
from hupai.models.training.classifier.grow import grown  # noqa: E402
from hupai.models.training.classifier.network import (  # noqa: E402
    INPUT,
    CropClassifier,
    Shape,
    from_file,
)

SMALL = Shape((4, 6, 8, 10), (1, 2, 1))

LARGE = Shape((6, 6, 13, 12), (2, 3, 1))


def _small() -> CropClassifier:
    torch.manual_seed(5)
    network = CropClassifier(SMALL)
    network.train()
    for _ in range(5):  # statistics of the normalisation that differ between channels
        network(torch.rand(16, 3, INPUT, INPUT))
    network.eval()
    return network


def test_a_grown_network_answers_as_before() -> None:
    small, crops = _small(), torch.rand(8, 3, INPUT, INPUT)
    large = grown(small, LARGE, noise=0.0).eval()
    assert Shape.of(large.state_dict()) == LARGE
    with torch.no_grad():
        for before, after in zip(small(crops), large(crops), strict=True):
            torch.testing.assert_close(after, before, rtol=1e-3, atol=1e-4)


def test_copied_channels_differ_from_their_originals() -> None:
    stem = grown(_small(), LARGE).state_dict()["stem.0.weight"]
    assert len(stem) == 6
    for copy in stem[4:]:
        gaps = (stem[:4] - copy).abs().amax((1, 2, 3))
        assert 0 < gaps.min() < stem.std()


def test_a_network_does_not_shrink() -> None:
    with pytest.raises(ValueError, match="can only grow"):
        grown(_small(), Shape((4, 6, 8, 9), (1, 2, 1)))


def test_a_file_tells_the_form_of_its_network(tmp_path: Path) -> None:
    network = _small()
    torch.save(network.state_dict(), tmp_path / "small.pt")
    read = from_file(tmp_path / "small.pt").eval()
    crops = torch.rand(2, 3, INPUT, INPUT)
    with torch.no_grad():
        assert torch.equal(read(crops)[0], network(crops)[0])
    assert Shape.of(CropClassifier().state_dict()) == Shape()
