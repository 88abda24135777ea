from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hupai.models import registry
from hupai.vision.detection.onnx_session import (
    VARIABLE,
    OpenVinoNetwork,
    ProviderError,
    open_network,
    provider_of,
)
from tests.test_architecture import FILES

READ = """
import sys
from pathlib import Path
from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser
reader = Recogniser(registry.load())
print(len(reader.read_photo(Path(sys.argv[1]).read_bytes()).reading.tiles))
"""


@pytest.mark.nightly
def test_reading_leaves_no_trace_in_the_users_home(tmp_path: Path, root: Path) -> None:
    environment = {
        k: v
        for k, v in os.environ.items()
        if k != "ORT_DISABLE_TELEMETRY" and not k.startswith("XDG_")
    }
    environment |= {"HOME": str(tmp_path), "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    photo = root / "examples" / "pungs.jpg"
    done = subprocess.run(
        [sys.executable, "-c", READ, photo],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) >= 14
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_onnx_runtime_is_opened_in_one_place(root: Path) -> None:
    """Whoever imports it first decides whether it reports."""
    importing = re.compile(r"^\s*(?:import onnxruntime|from onnxruntime)\b", re.MULTILINE)
    found = {
        str(f.relative_to(root))
        for f in FILES
        if f.suffix == ".py" and importing.search(f.read_text("utf-8"))
    }
    assert found == {"vision/detection/onnx_session.py"}


CLASSIFIER = registry.find(registry.DEFAULT).path("classifier")


@pytest.mark.parametrize("chosen", ["gpu", "", "cpu,gpu"])
def test_unknown_providers_are_refused_with_those_there_are(chosen: str) -> None:
    with pytest.raises(ProviderError, match=f"{VARIABLE}={chosen}: this machine has cpu"):
        provider_of(chosen)


def test_the_first_provider_that_the_machine_has_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert provider_of("CPU") == "cpu"
    monkeypatch.setattr("hupai.vision.detection.onnx_session._available", lambda: {"cpu"})
    assert provider_of("cuda, cpu") == "cpu"
    monkeypatch.setenv(VARIABLE, "cuda")
    with pytest.raises(ProviderError, match="onnxruntime-gpu"):
        open_network(CLASSIFIER)


def test_openvino_gives_the_same_result_as_onnx_runtime() -> None:
    pytest.importorskip("openvino", reason="the package openvino is not installed")
    crops = np.random.default_rng(1).random((3, 3, 80, 80), np.float32)
    first, second = open_network(CLASSIFIER, 1), OpenVinoNetwork(CLASSIFIER, 1)
    assert second.get_modelmeta().custom_metadata_map
    ours, theirs = (network.run(["logits"], {"crops": crops})[0] for network in (first, second))
    assert theirs.argmax(1).tolist() == ours.argmax(1).tolist()
    assert np.abs(theirs - ours).max() < 0.5
