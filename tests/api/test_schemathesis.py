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

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.service import RecordedReader, recorded_reading, served
from tests.profile import NIGHTLY

INSTALLED = importlib.util.find_spec("schemathesis") is not None
RUN = [
    "--phases", "examples,coverage,fuzzing,stateful" if NIGHTLY else "examples,fuzzing,stateful",
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
]  # fmt: skip
CONFIGURATION = """
[[operations]]
include-name = "POST /v1/tile-sets"
# The recorded reader has no model that could learn, and answers 503, as the document says;
# tests/api/tile_sets/test_routes.py teaches a real one.
checks.not_a_server_error.expected-statuses = ["2xx", "4xx", "503"]
"""


@pytest.mark.skipif(
    not INSTALLED, reason="schemathesis is not installed; it comes with the extra dev"
)
@pytest.mark.timeout(3600)
def test_every_answer_conforms_to_the_openapi_document(tmp_path: Path) -> None:
    """``SCHEMATHESIS_EXAMPLES=40 HUPAI_TEST_PROFILE=nightly pytest tests/api/test_schemathesis.py``
    looks longer than the suite has time for. Only the nightly profile has the phase ``coverage``,
    which makes a request of each tile at each place that takes one, and of each wrong type at each
    place that has a type, in every operation anew.
    """
    app = create_app(Settings(preload=False, rate_limit=0), RecordedReader(recorded_reading()))
    with served(app) as address:
        # It is made at the first request, for longer than schemathesis waits on a busy machine.
        httpx.get(f"{address}/openapi.json", timeout=300).raise_for_status()
        configuration = tmp_path / "schemathesis.toml"
        configuration.write_text(CONFIGURATION, encoding="utf-8")
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(configuration)]
        command += ["run", f"{address}/openapi.json", *RUN]
        environment = {**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path / "hypothesis")}
        done = subprocess.run(
            command,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=environment,
            check=False,
            timeout=3500,
        )
    failures = done.stdout[done.stdout.find("= FAILURES =") :]
    assert done.returncode == 0, f"{failures[:6000]}\n{done.stderr[-2000:]}"
    tested = re.search(r"Tested: (\d+)", done.stdout)
    operations = sum(len(item) for item in app.openapi()["paths"].values())
    assert tested
    assert int(tested[1]) == operations - 1
