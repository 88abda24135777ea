"""The report of a fine-tuning names what to look at, and whatever contributors are called."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

from hupai.models.evaluation.evaluate import Figures
from hupai.models.learning.gate import Suite, Verdict
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


def test_what_no_photo_tells_is_left_out(tmp_path: Path) -> None:
    data = write(tmp_path / "set", 1)
    none = Figures(**{one.name: 0 for one in fields(Figures)})
    before, after = replace(none, photos=2, hands=2), replace(none, photos=2, hands=2, melds=3)
    suites = (Suite("a", True, before, before), Suite("b", True, before, after))
    text = report_text(suites, Verdict(True, ()), (), data)
    assert text.count("| whole hands exact | 0 of 2 | 0 of 2 |") == 2
    assert text.count("| melds right | 0 of 0 | 0 of 3 |") == 1
    assert "groups right" not in text
    assert text.count("| certain and wrong | 0 of 0 | 0 of 0 |") == 2


def test_a_photo_whose_labels_are_likely_is_not_listed(tmp_path: Path) -> None:
    data = write(tmp_path / "set", 1)
    harm = PhotoHarm("photo", 0.5, ())
    text = report_text((), Verdict(True, ()), (harm,), data)
    assert "| photo |" not in text
    assert "hupai datasets suggest" not in text


def test_photos_beyond_the_first_twenty_are_counted(tmp_path: Path) -> None:
    data = write(tmp_path / "set", 1)
    none = Figures(**{one.name: 0 for one in fields(Figures)})
    lost, won = tuple(f"l{k}" for k in range(23)), tuple(f"w{k}" for k in range(20))
    suite = Suite("a", True, none, none, lost, won)
    lines = report_text((suite,), Verdict(False, ()), (), data).splitlines()
    assert any(line.startswith("No longer exact: l0, ") for line in lines)
    assert any(line.endswith("l19 and 3 more.") for line in lines)
    assert any(line.endswith("w18, w19.") for line in lines)
