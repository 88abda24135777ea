"""Requests about cases with somebody's key."""

from __future__ import annotations

from typing import Any

import httpx

from tests.api.dossier.cases import WON, other_photo, photo

Json = dict[str, Any]
ROLES = {"anna": ("player",), "ben": ("player",), "chief": ("referee",), "crew": ("operator",)}


def sent(examples: dict[str, Any], name: str) -> Json:
    """The body of a documented request."""
    body: Json = examples[name]["value"]
    return body


class Desk:
    """Requests with somebody's key."""

    def __init__(self, client: httpx.Client, keys: dict[str, str]) -> None:
        self.client, self.keys = client, keys

    def __call__(self, who: str, method: str, path: str, **options: Any) -> httpx.Response:
        return self.client.request(
            method, f"/v1{path}", headers={"Authorization": f"Bearer {self.keys[who]}"}, **options
        )

    def open(self, who: str = "anna", **form: str) -> Json:
        files = [("photo", ("hand.jpg", photo())), ("photo", ("side.png", other_photo()))]
        data = {
            "rules": "mcr-1998",
            "circumstances": WON.model_dump_json(),
            "title": "Table 3, hand 7",
            "stated": "Anna",
            **form,
        }
        answer = self(who, "POST", "/cases", files=files, data=data)
        assert answer.status_code == 200, answer.text
        case: Json = answer.json()
        return case

    def act(self, who: str, case: Json, what: str, **body: Any) -> Json:
        answer = self(who, "POST", f"/cases/{case['id']}/{what}", json=body)
        assert answer.status_code == 200, answer.text
        result: Json = answer.json()
        return result
