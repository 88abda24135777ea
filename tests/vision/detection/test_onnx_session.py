from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.test_architecture import FILES

READ = """
import sys
from pathlib import Path
from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser
reader = Recogniser(registry.load())
print(len(reader.read_photo(Path(sys.argv[1]).read_bytes()).reading.tiles))
"""


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
