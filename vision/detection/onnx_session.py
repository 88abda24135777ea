"""Opens ONNX networks the way a service wants them: nothing is reported to anybody, and they share
the cores.

Everything that needs ONNX Runtime takes it from here: 1.31 keeps a queue of events for its maker in
the user's home, unless the environment says otherwise before it is first imported.
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime as ort


def open_network(path: Path, threads: int = 0) -> ort.InferenceSession:
    """A network, run on the processor.

    Args:
        path: ONNX file.
        threads: of ONNX Runtime, 0 leaves the choice to it.

    Raises:
        onnxruntime.capi.onnxruntime_pybind11_state.Fail: when the file is no ONNX model.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # Idle threads of one network would otherwise spin on the cores that another one needs.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


__all__ = ["open_network", "ort"]
