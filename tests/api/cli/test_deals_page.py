"""The examples of docs/deals.md do what the text says."""

from __future__ import annotations

import json
import re
from pathlib import Path

from typer.testing import CliRunner

from hupai.api.cli.main import app
from tests.shared import ROOT

DOC = ROOT / "docs" / "deals.md"


def test_the_examples_give_what_the_text_says(tmp_path: Path) -> None:
    text = DOC.read_text(encoding="utf-8")
    answers = []
    for i, example in enumerate(re.findall(r"```json\n(.*?)```", text, re.DOTALL)):
        path = tmp_path / f"{i}.json"
        path.write_text(example, encoding="utf-8")
        result = CliRunner().invoke(app, ["deal", str(path), "--json"])
        assert result.exit_code == 0
        answers.append(json.loads(result.stdout))
    deal, session = answers
    said = ", ".join(f"{player} {net:+d}" for player, net in deal["net"].items())
    assert said in text
    assert [row["player"] for row in session["standings"]] == ["B", "A", "C", "D"]
