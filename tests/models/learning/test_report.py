"""The report of a fine-tuning names what to look at, and whatever contributors are called."""

from __future__ import annotations

from pathlib import Path

from hupai.models.learning.gate import Verdict
from hupai.models.learning.harm import PhotoHarm
from hupai.models.learning.report import report_text
from tests.models.learning.label_set import write


def test_the_labeller_of_a_harmful_photo_is_named(tmp_path: Path) -> None:
    data = write(tmp_path / "set", 1, author="eve|\n# Accepted")
    (photo,) = (data / "images").iterdir()
    harm = PhotoHarm(photo.stem, 0.5, ((0, 1, 0.001),))
    text = report_text((), Verdict(False, ("nothing improved",)), (harm,), data)
    lines = text.splitlines()
    row = next(line for line in lines if line.startswith(f"| {photo.stem}"))
    assert row == f"| {photo.stem} | eve\\| # Accepted | 0.5 | 1m, read as 2m, probability 0.001 |"
    assert "# Accepted" not in lines
    assert any("hupai datasets suggest" in line for line in lines)


def test_a_photo_whose_labels_are_likely_is_not_listed(tmp_path: Path) -> None:
    data = write(tmp_path / "set", 1)
    harm = PhotoHarm("photo", 0.5, ())
    text = report_text((), Verdict(True, ()), (harm,), data)
    assert "| photo |" not in text
    assert "hupai datasets suggest" not in text
