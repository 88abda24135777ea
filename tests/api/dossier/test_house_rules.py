"""Cases under house rules, continued over HTTP; and finding a case by its id."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import httpx

from hupai.api.app.factory import create_app
from hupai.api.cli.dossier import cases
from hupai.api.dossier.chain.events import Author
from hupai.api.dossier.service import CaseService
from hupai.api.web.settings import Settings
from hupai.scoring.house_rules import parse_house_rules
from tests.api.dossier.cases import WON, other_photo, photo, read
from tests.api.service import RecordedReader, client_of, photo_file, recorded_reading

CLUB = 'id = "club"\nbase = "mcr-1998"\nname_en = "Club"\nname_zh = "俱乐部"\nminimum = 20\n'


def test_a_photo_is_added_to_a_case_under_house_rules(tmp_path: Path) -> None:
    app = create_app(
        Settings(preload=False, data_dir=str(tmp_path)), RecordedReader(recorded_reading())
    )
    with client_of(app) as client:
        service: CaseService = app.state.cases
        known = service.open(
            Author(name="local", role="referee"),
            "",
            parse_house_rules(CLUB, "club"),
            WON,
            [("hand.jpg", photo(), read(photo()))],
            house=CLUB,
        )
        added: httpx.Response = client.post(
            f"/v1/cases/{known.case.id}/photos", files=photo_file(other_photo())
        )
        ruling = {"outcome": "false_win", "reason": "x"}
        ruled, refused = (
            client.post(
                f"/v1/cases/{known.case.id}/rulings",
                json={**ruling, "fine": {"rules": rules, "offence": "false_win", "points": 5}},
            )
            for rules in ("club", "another")
        )
    assert added.status_code == 200, added.text
    assert ruled.status_code == 200, ruled.text
    assert refused.json()["type"] == "/problems/unknown-rules"
    assert len(added.json()["photos"]) == 2
    assert added.json()["rules"]["id"] == "club"


def test_a_case_is_found_by_its_id_however_many_came_since() -> None:
    ids = [f"{number:08x}-0000-7000-8000-00000000000f" for number in range(449, -1, -1)]

    class Cases:
        def list(self, limit: int, before: str | None, *_: object) -> list[SimpleNamespace]:
            older = [one for one in ids if before is None or one < before]
            return [SimpleNamespace(id=one) for one in older[:limit]]

        def read(self, case: str) -> str:
            return case

    assert cast("str", cases.find(cast("CaseService", Cases()), "00000000")) == ids[-1]
