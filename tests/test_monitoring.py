"""Rules and dashboard ask for what the service tells, and the alerts go off when they should."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hupai.api.app.factory import create_app
from hupai.api.web.problem_types import TYPES
from hupai.api.web.settings import Settings
from tests.api.service import MCR, RecordedReader, client_of, photo_file, picture, recorded_reading
from tests.shared import ROOT

FOLDER = ROOT / "deploy" / "monitoring"
QUERY = re.compile(r"\b(hupai_[a-z_]+)(?:\{([^}]*)\})?")
"""A metric with its selector."""


def queries() -> dict[str, str]:
    """All that rules and dashboard ask, by where."""
    board = json.loads((FOLDER / "grafana.json").read_text(encoding="utf-8"))
    found = {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in board["panels"]
        for target in panel["targets"]
    }
    rules = (FOLDER / "rules.yaml").read_text(encoding="utf-8")
    found |= {f"rule {n}": text for n, text in enumerate(rules.split("expr:")[1:])}
    return found


def test_the_service_exports_every_metric_of_rules_and_dashboard(tmp_path: Path) -> None:
    settings = Settings(preload=False, data_dir=str(tmp_path))
    with client_of(create_app(settings, RecordedReader(recorded_reading(doubtful=True)))) as client:
        answer = client.post("/v1/hands", files=photo_file(picture()), data={"rules": MCR})
        assert answer.is_success
        text = client.get("/metrics").text
    exported = {line.partition(" ")[0] for line in text.splitlines() if not line.startswith("#")}
    names = {series.partition("{")[0] for series in exported}
    labels = {
        name: {
            label
            for series in exported
            if series.startswith(f"{name}{{")
            for label in re.findall(r'(\w+)="', series)
        }
        for name in names
    }
    asked = 0
    for where, query in queries().items():
        for name, selector in QUERY.findall(query):
            asked += 1
            assert name in names, f"{where}: {name}"
            wanted = set(re.findall(r"(\w+)=", selector or ""))
            assert wanted <= labels[name], f"{where}: {name}{{{selector}}}"
            for kind in re.findall(r'type="([^"]+)"', selector or ""):
                assert kind in TYPES, f"{where}: no problem {kind}"
    assert asked > 10


def test_counters_begin_at_zero(tmp_path: Path) -> None:
    """Prometheus sees no increase in a series that begins with its first event."""
    settings = Settings(preload=False, data_dir=str(tmp_path))
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        text = client.get("/metrics").text
    for kind in TYPES:
        assert f'hupai_problems_total{{type="{kind}"}} 0.0' in text
    assert 'hupai_readings_total{certain="true",hand="true"} 0.0' in text


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool here (prometheus)")
def test_prometheus_takes_the_rules_and_the_alerts_go_off() -> None:
    for words in (
        ["check", "rules", "rules.yaml"],
        ["test", "rules", "rules.test.yaml", "rules-week.test.yaml"],
    ):
        done = subprocess.run(
            ["promtool", *words], cwd=FOLDER, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
