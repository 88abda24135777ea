"""The tables of fan in the docs are those of the code."""

from __future__ import annotations

from hupai.scoring.kc import fan_table as kc
from hupai.scoring.riichi import fan_table as riichi
from hupai.scoring.sichuan import fan_table as sichuan
from tests.shared import ROOT


def test_the_sichuan_and_kc_tables_are_generated_from_the_code() -> None:
    text = (ROOT / "docs" / "fans-sichuan-kc.md").read_text(encoding="utf-8")
    _, _, tables = text.partition("\n## ")
    assert f"## {tables}" == f"{sichuan.markdown()}\n{kc.markdown()}"


def test_the_riichi_tables_are_generated_from_the_code() -> None:
    text = (ROOT / "docs" / "fans-riichi.md").read_text(encoding="utf-8")
    _, _, tables = text.partition("\n## ")
    assert f"## {tables}" == riichi.markdown()
