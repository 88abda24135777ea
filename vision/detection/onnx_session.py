"""Opens ONNX networks for a service: without telemetry, sharing the cores, on the execution
providers that ``HUPAI_PROVIDERS`` names.

All code imports ONNX Runtime from here: version 1.31 stores telemetry events in the user's home
unless an environment variable disables this before the first import.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.errors import HupaiError

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime as ort

VARIABLE = "HUPAI_PROVIDERS"
"""Environment variable with the names of providers, the preferred one first; default ``cpu``."""

_ORT_NAMES = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
}
"""ONNX Runtime's names of the providers."""


class ProviderError(HupaiError, ValueError):
    """``HUPAI_PROVIDERS`` names an unavailable provider; the message lists those available."""


class Network(Protocol):
    """An opened network; threads may share it."""

    def run(
        self, outputs: Sequence[str] | None, inputs: Mapping[str, NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        """Run the network.

        Args:
            outputs: names of the outputs wanted; None for all.
            inputs: arrays by the names of the inputs.
        """
        ...

    def get_modelmeta(self) -> Any:
        """Return the metadata of the file, with ``custom_metadata_map``."""
        ...

    def get_inputs(self) -> Sequence[Any]:
        """Return the inputs, each with its ``name`` and ``shape``."""
        ...

    def get_outputs(self) -> Sequence[Any]:
        """Return the outputs, each with its ``name`` and ``shape``."""
        ...


def open_network(path: Path, threads: int = 0, providers: str | None = None) -> Network:
    """Open a network on the first chosen provider that this machine has.

    Args:
        path: ONNX file.
        threads: number of threads that one run may use; 0 leaves the choice to the runtime.
        providers: names separated by commas, of ``cpu``, ``cuda`` and ``openvino``; by default
            those of the environment variable.

    Raises:
        ProviderError: when none of the providers is available, or one has an unknown name.
        onnxruntime.capi.onnxruntime_pybind11_state.Fail: when the file is not an ONNX model.
    """
    provider = provider_of(os.environ.get(VARIABLE, "cpu") if providers is None else providers)
    if provider == "openvino" and _ORT_NAMES[provider] not in ort.get_available_providers():
        return OpenVinoNetwork(path, threads)
    session: Network = _session(path, threads, provider)
    return session


def provider_of(chosen: str) -> str:
    """Return the first provider, of names separated by commas, that is available here.

    Raises:
        ProviderError: if there is none, or a name is unknown.
    """
    names = [name.strip().lower() for name in chosen.split(",") if name.strip()]
    here = _available()
    found = [name for name in names if name in here]
    if not found or set(names) - set(_ORT_NAMES):
        raise ProviderError(
            f"{VARIABLE}={chosen}: this machine has {', '.join(sorted(here))}; names are "
            f"{', '.join(sorted(_ORT_NAMES))}. CUDA needs the package onnxruntime-gpu, OpenVINO "
            "the package openvino"
        )
    return found[0]


def _available() -> set[str]:
    there = ort.get_available_providers()
    names = {name for name, in_runtime in _ORT_NAMES.items() if in_runtime in there}
    return names | {"openvino"} if find_spec("openvino") else names


def _session(path: Path, threads: int, provider: str) -> Any:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # It would keep a memory plan for every input size, and photos have many sizes.
    options.enable_mem_pattern = False
    # It would keep the memory of the largest photo for each network, and saves hardly any time.
    options.enable_cpu_mem_arena = False
    # Idle threads of one network would otherwise spin on the cores that another one needs.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    # The CPU provider runs operators that another provider does not support.
    providers = list(dict.fromkeys([_ORT_NAMES[provider], _ORT_NAMES["cpu"]]))
    return ort.InferenceSession(str(path), options, providers=providers)


class OpenVinoNetwork:
    """A network run by the package ``openvino``, without ONNX Runtime's provider for it."""

    def __init__(self, path: Path, threads: int = 0) -> None:
        """Compile the network for the processor; see `open_network`."""
        import openvino  # an optional package, needed only if this provider is chosen

        settings: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY"}
        if threads:
            settings["INFERENCE_NUM_THREADS"] = threads
        self._compiled = openvino.Core().compile_model(str(path), "CPU", settings)
        self._names = [output.get_any_name() for output in self._compiled.outputs]
        # The metadata of the file is read by ONNX Runtime.
        file: Network = _session(path, 1, "cpu")
        self.get_modelmeta, self.get_inputs = file.get_modelmeta, file.get_inputs
        self.get_outputs = file.get_outputs

    def run(
        self, outputs: Sequence[str] | None, inputs: Mapping[str, NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        """Run the network, with a separate request for each call; see `Network`."""
        request = self._compiled.create_infer_request()
        found = request.infer(dict(inputs))
        wanted = self._names if outputs is None else outputs
        return [np.array(found[self._names.index(name)]) for name in wanted]


__all__ = ["Network", "OpenVinoNetwork", "ProviderError", "open_network", "ort", "provider_of"]
