"""The cases of a tournament: their order, the figures over them, and all of them as files."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

from sqlalchemy import text, update

from hupai.api.dossier.bundle.verify import verify
from hupai.api.dossier.chain import log
from hupai.api.dossier.chain.canonical import digest
from hupai.api.dossier.chain.events import Objected
from hupai.api.dossier.rows import CaseEventRow
from hupai.api.dossier.tournament.overview import Waiting, in_order, statistics, waiting
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from tests.api.dossier.cases import (
    AT_TABLE,
    BEGIN,
    PLAYER,
    key,
    opened,
    other_photo,
    photo,
    ruled,
)
from tests.api.dossier.desk import Desk


def line(table: str = "", session: str = "1", *, ruled_on: bool = False) -> Waiting:
    case = ruled().case if ruled_on else opened().case
    return replace(waiting(case), table=table, session=session)


def test_a_case_as_a_line() -> None:
    one = waiting(ruled().case)
    assert (one.state, one.outcome, one.total, one.unit) == ("closed", "false_win", 0, "fan")
    assert (one.claimed, one.accepted, one.rejected, one.fined, one.fine_points) == (
        12,
        1,
        1,
        1,
        24,
    )
    assert one.minutes == 8.0  # the ruling follows seven acts, each a minute after the other
    assert one.computed is False
    at_table = log.extend(opened(), [AT_TABLE], PLAYER, key(), BEGIN).case
    found = waiting(at_table)
    assert (found.session, found.table, found.players[1]) == ("2", "17", "王小明")
    assert (found.outcome, found.minutes, found.computed) == (None, None, None)


def test_waiting_cases_come_first_then_by_session_and_table() -> None:
    objected = Objected(by="Ben", what="total", reason="x")
    contested = waiting(log.extend(opened(), [objected], PLAYER, key(), BEGIN).case)
    assert contested.undecided == (4,)
    given = [
        line("1", ruled_on=True),
        line("10"),
        line("9"),
        line("A"),
        line("1", "2"),
        replace(contested, session="1", table="9b", outcome="win", state="ruled"),
    ]
    found = [(one.session, one.table, one.outcome) for one in in_order(given)]
    assert found == [
        ("1", "A", None),
        ("1", "9", None),
        ("1", "10", None),
        ("2", "1", None),
        ("1", "9b", "win"),  # ruled on, but an objection waits
        ("1", "1", "false_win"),
    ]


def test_figures() -> None:
    found = statistics([line("1"), line("2"), line("2", ruled_on=True)])
    assert (found.cases, found.open, found.closed, found.waiting) == (3, 2, 1, 2)
    assert (found.rulings, found.false_wins, found.fines, found.fine_points) == (1, 1, 1, 24)
    assert (found.claims, found.claims_right, found.computed_right) == (1, 0, 0)
    assert [(one.name, one.cases, one.open) for one in found.by_table] == [("1", 1, 1), ("2", 2, 1)]
    assert [one.name for one in found.by_referee] == ["head referee"]
    assert statistics([]).minutes is None


def test_over_http_for_referees_only(desk: Desk) -> None:
    case = desk.open(place='{"tournament": "Cup", "session": "1", "table": "5"}')
    desk.open(place='{"tournament": "Cup", "session": "2", "table": "1"}')
    answer = desk("chief", "GET", "/tournament", params={"tournament": "Cup", "session": "1"})
    assert [one["id"] for one in answer.json()["cases"]] == [case["id"]]
    assert answer.json()["statistics"]["waiting"] == 1
    desk.act("chief", case, "notes", text="x")
    again = desk("chief", "GET", "/tournament", params={"tournament": "Cup"}).json()
    assert [one["events"] for one in again["cases"]] == [len(case["events"]) + 1, 7]
    assert desk("anna", "GET", "/tournament").status_code == 403
    assert desk("anna", "GET", "/tournament/bundles").status_code == 403
    exported = desk("chief", "GET", "/tournament/bundles", params={"tournament": "Cup"})
    with zipfile.ZipFile(io.BytesIO(exported.content)) as archive:
        *files, manifest = archive.namelist()
        assert files[0] == f"session-1-table-5-{case['id']}.zip"
        assert len(files) == 2
        assert all(verify(archive.read(name)).holds for name in files)
        listed = json.loads(archive.read(manifest))
    assert manifest == "manifest.json"
    assert [one["file"] for one in listed["cases"]] == files
    assert listed["missing"] == []


def test_an_export_names_the_cases_it_lacks(desk: Desk, settings: Settings) -> None:
    lacking = desk.open(place='{"tournament": "League"}')
    files = [("photo", ("side.png", other_photo()))]
    form = {"rules": "mcr-1998", "place": '{"tournament": "League"}'}
    whole = desk("anna", "POST", "/cases", files=files, data=form).json()
    storage = storage_of(settings)
    storage.open()
    storage.photos.delete(digest(photo()))
    storage.close()
    exported = desk("chief", "GET", "/tournament/bundles", params={"tournament": "League"})
    assert exported.status_code == 200
    with zipfile.ZipFile(io.BytesIO(exported.content)) as archive:
        listed = json.loads(archive.read("manifest.json"))
        assert verify(archive.read(f"{whole['id']}.zip")).holds
    assert [one["case"] for one in listed["cases"]] == [whole["id"]]
    assert [one["case"] for one in listed["missing"]] == [lacking["id"]]
    assert "photo" in listed["missing"][0]["message"]


def test_an_export_names_the_cases_whose_log_is_broken(desk: Desk, settings: Settings) -> None:
    case = desk.open(place='{"tournament": "Final"}')
    storage = storage_of(settings)
    storage.open()
    with storage.database.session() as session:
        session.execute(text("DROP TRIGGER case_events_update_refused"))
        session.execute(
            update(CaseEventRow).where(CaseEventRow.case_id == case["id"]).values(line="{}")
        )
    storage.close()
    exported = desk("chief", "GET", "/tournament/bundles", params={"tournament": "Final"})
    with zipfile.ZipFile(io.BytesIO(exported.content)) as archive:
        listed = json.loads(archive.read("manifest.json"))
    assert listed["cases"] == []
    assert [(one["case"], one["code"]) for one in listed["missing"]] == [
        (case["id"], "case-broken")
    ]
