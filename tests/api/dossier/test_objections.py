"""Objections, and where a hand was played, over HTTP."""

from __future__ import annotations

from hupai.api.dossier import samples
from tests.api.dossier.desk import Desk, sent


def test_an_objection_waits_for_a_ruling_and_closing_waits_for_it(desk: Desk) -> None:
    case = desk.open()
    body = sent(samples.OBJECTIONS, "claim")
    case = desk("anna", "POST", f"/cases/{case['id']}/objections", json=body).json()
    assert case["objections"][0]["objection"]["by"] == "Ben"
    number = case["objections"][0]["number"]
    assert case["undecided"] == [number]
    path = f"/cases/{case['id']}/state"
    refused = desk("chief", "POST", path, json={"closed": True, "reason": "x"})
    assert refused.status_code == 409
    assert refused.json()["undecided"] == [number]
    case = desk.act("chief", case, "rulings", **sent(samples.RULINGS, "win"))
    assert case["objections"][0]["answered"]
    assert desk.act("chief", case, "state", closed=True, reason="x")["state"] == "closed"


def test_an_objection_to_a_missing_entry_is_refused(desk: Desk) -> None:
    path = f"/cases/{desk.open()['id']}/objections"
    body = {"by": "Ben", "entry": 99, "what": "total", "reason": "x"}
    refused = desk("anna", "POST", path, json=body)
    assert refused.status_code == 409
    assert refused.json()["detail"].startswith("No entry 99: choose among 1, 2, 3, 4, 5, or leave")
    assert refused.json()["detail_zh"].startswith("案卷没有第 99 条：请选第 1、2、3、4、5 条，或")


def test_only_entries_about_the_hand_can_be_objected_to(desk: Desk) -> None:
    case = desk.open()
    path = f"/cases/{case['id']}/objections"
    body = {"by": "Ben", "what": "total", "reason": "x"}
    assert [one["kind"] for one in case["events"]] == [
        *("opened", "photo_added", "photo_read", "scored", "photo_added", "photo_read")
    ]
    refused = desk("anna", "POST", path, json={**body, "entry": 0})
    assert refused.status_code == 409
    assert refused.json()["detail"].startswith("Entry 0 records nothing to object to")
    for entry in refused.json()["entries"]:
        assert desk("anna", "POST", path, json={**body, "entry": entry}).status_code == 200
    objection = desk("anna", "POST", path, json={**body, "entry": 6})
    assert objection.json()["entries"] == refused.json()["entries"] == [1, 2, 3, 4, 5]


def test_only_who_opened_the_case_records_the_place_of_play(desk: Desk) -> None:
    case = desk.open(place='{"table": "3"}', zone="Europe/Paris")
    assert (case["place"]["table"], case["zone"]) == ("3", "Europe/Paris")
    path = f"/cases/{case['id']}/place"
    assert desk("ben", "POST", path, json={"table": "4"}).status_code == 404
    case = desk.act("anna", case, "place", **sent(samples.PLACES, "table"))
    assert case["place"]["players"][0]["name"] == "Anna"
    assert desk("chief", "GET", f"/cases/{case['id']}/report?zone=Nowhere/City").status_code == 422
