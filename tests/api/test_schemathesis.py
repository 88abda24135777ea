"""schemathesis over the whole OpenAPI document: requests that fit it and requests that do not,
answers held to it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.service import RecordedReader, recorded_reading, served

INSTALLED = importlib.util.find_spec("schemathesis") is not None
RUN = [
    "--phases", "examples,coverage,fuzzing,stateful",
    "--max-examples", os.environ.get("SCHEMATHESIS_EXAMPLES", "1"),
    "--seed", "20261121",
    "--no-shrink",
    "--continue-on-failure",
    "--request-timeout", "20",
    "--warnings", "off",
    "--no-color",
    # A schema cannot say which bytes are a photo, nor which text is a hand.
    "--exclude-checks", "positive_data_acceptance",
    # A stream that never ends; tests/api/overlay follows it.
    "--exclude-path-regex", "/events$",
    # The recorded reader has no model that could learn, and answers 503;
    # tests/api/tile_sets/test_routes.py teaches a real one.
    "--exclude-operation-id", "teach_v1_tile_sets_post",
]  # fmt: skip


@pytest.mark.skipif(
    not INSTALLED, reason="schemathesis is not installed; it comes with the extra dev"
)
@pytest.mark.timeout(900)
def test_no_answer_departs_from_the_document(tmp_path: Path) -> None:
    """``SCHEMATHESIS_EXAMPLES=40 pytest tests/api/test_schemathesis.py`` looks longer than the
    suite has time for.
    """
    app = create_app(Settings(preload=False, rate_limit=0), RecordedReader(recorded_reading()))
    with served(app) as address:
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json", *RUN]
        environment = {**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path / "hypothesis")}
        done = subprocess.run(
            command,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=environment,
            check=False,
            timeout=880,
        )
    told = done.stdout[done.stdout.find("= FAILURES =") :]
    assert done.returncode == 0, f"{told[:6000]}\n{done.stderr[-2000:]}"
    tested = re.search(r"Tested: (\d+)", done.stdout)
    operations = sum(len(item) for item in app.openapi()["paths"].values())
    assert tested
    assert int(tested[1]) == operations - 2
