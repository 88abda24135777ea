"""Consent over HTTP: asked of the deployment and of the hand, and taken back."""

from __future__ import annotations

import httpx
from fastapi import FastAPI

from hupai.api.learning.collect import collect
from tests.api.learning.test_export import app, client, corrected, stored

__all__ = ["app", "client"]


def test_both_consents_are_needed_and_either_can_be_withdrawn(
    app: FastAPI, client: httpx.Client
) -> None:
    hand = stored(client, 41)
    corrected(client, hand, confirmed=True)
    here, all_hands = f"/v1/hands/{hand['id']}/consent", "/v1/learning/consent"
    assert client.get(here).json() == {"deployment": None, "given": None}
    steps = [(here, True, 0), (all_hands, True, 1), (here, False, 0), (here, True, 1)]
    for where, given, labels in [*steps, (all_hands, False, 0)]:
        answer = client.put(where, json={"given": given})
        assert answer.status_code == 200
        assert len(collect(app.state.storage).labels) == labels, (where, given)
    assert client.get(here).json() == {"deployment": False, "given": True}


def test_a_missing_hand_has_no_consent(client: httpx.Client) -> None:
    answer = client.put(f"/v1/hands/{'0' * 8}-0000-0000-0000-{'0' * 12}/consent", json={"given": 1})
    assert answer.status_code in (404, 422)
    case = client.put(
        f"/v1/cases/{'0' * 8}-0000-0000-0000-{'0' * 12}/consent", json={"given": True}
    )
    assert case.status_code == 404
