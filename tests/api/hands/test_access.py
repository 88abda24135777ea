"""Who may see and change a stored hand: its author, referees, and for looking whoever has its share
link.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.auth.keys import KeyStore
from hupai.api.web.settings import Settings
from tests.api.hands.test_recognition import problem
from tests.api.hands.test_routes import new_photo
from tests.api.service import MCR, RecordedReader, client_of, photo_file, recorded_reading


@dataclass(frozen=True)
class Club:
    """A service that asks for keys, and the headers of those who have one."""

    client: httpx.Client
    anna: dict[str, str]
    ben: dict[str, str]
    referee: dict[str, str]
    operator: dict[str, str]

    def store(self, who: dict[str, str], data: bytes | None = None, key: str | None = None) -> str:
        """The address of a hand that somebody stored."""
        headers = who if key is None else who | {"idempotency-key": key}
        answer = self.client.post(
            "/v1/hands", files=photo_file(data or new_photo()), data={"rules": MCR}, headers=headers
        )
        assert answer.status_code == 200, answer.text
        return answer.headers["location"]


@pytest.fixture(scope="module")
def club() -> Iterator[Club]:
    app = create_app(
        Settings(preload=False, require_keys=True, rate_limit=0), RecordedReader(recorded_reading())
    )
    with client_of(app) as client:
        keys = KeyStore(app.state.storage.database)
        people = {"anna": "player", "ben": "player", "referee": "referee", "operator": "operator"}
        yield Club(
            client,
            **{
                name: {"authorization": f"Bearer {keys.add(name, [scope])[0]}"}
                for name, scope in people.items()
            },
        )


def test_a_hand_belongs_to_who_stored_it(club: Club) -> None:
    path = club.store(club.anna)
    assert club.client.get(path, headers=club.anna).json()["author"] == "anna"
    for stranger in (club.ben, club.operator):
        for answer in (
            club.client.get(path, headers=stranger),
            club.client.get(f"{path}/photo", headers=stranger),
            club.client.get(f"{path}/annotated", headers=stranger),
            club.client.patch(path, json={"reason": "mine"}, headers=stranger),
            club.client.delete(path, headers=stranger),
            club.client.put(f"{path}/share", headers=stranger),
        ):
            problem(answer, 404, "not-found")
    problem(club.client.get(path), 401, "unauthenticated")
    assert club.client.get(path, headers=club.anna).json()["version"] == 1


def test_a_referee_corrects_under_the_own_name_and_deletes(club: Club) -> None:
    path = club.store(club.anna)
    changed = club.client.patch(
        path, json={"rules": "mcr-2006", "reason": "House rules."}, headers=club.referee
    ).json()
    assert (changed["author"], changed["corrections"][0]["author"]) == ("anna", "referee")
    assert club.client.get(path, headers=club.anna).json() == changed
    assert club.client.delete(path, headers=club.referee).status_code == 204


def test_lists_show_players_their_own_and_referees_all(club: Club) -> None:
    anna, ben = club.store(club.anna), club.store(club.ben)

    def listed(who: dict[str, str], **wanted: str) -> set[str]:
        lines = club.client.get("/v1/hands", params={"limit": "100", **wanted}, headers=who).json()[
            "hands"
        ]
        return {f"/v1/hands/{line['id']}" for line in lines}

    assert {anna, ben} & listed(club.anna) == {anna}
    assert {anna, ben} & listed(club.anna, author="ben") == set()
    assert {anna, ben} <= listed(club.referee)
    assert {anna, ben} & listed(club.referee, author="ben") == {ben}


def test_the_same_photo_of_two_players_is_two_hands_with_separate_idempotency_keys(
    club: Club,
) -> None:
    data = new_photo()
    anna, ben = club.store(club.anna, data, "1"), club.store(club.ben, data, "1")
    assert anna != ben
    assert club.client.delete(anna, headers=club.anna).status_code == 204
    assert club.client.get(f"{ben}/photo", headers=club.ben).content == data


def test_a_share_link_shows_the_hand_to_anybody_until_it_is_taken_back(club: Club) -> None:
    path, other = club.store(club.anna), club.store(club.anna)
    link = club.client.put(f"{path}/share", headers=club.anna).json()
    assert club.client.put(f"{path}/share", headers=club.anna).json() == link, (
        "a second link took the first away"
    )
    shown = club.client.get(link["path"])
    assert shown.status_code == 200
    assert shown.json()["shared"] is True
    token = {"share": link["token"]}
    assert club.client.get(f"{path}/photo", params=token).status_code == 200
    assert club.client.get(f"{path}/annotated", params=token).status_code == 200
    assert club.client.get(link["path"], headers=club.ben).status_code == 200
    problem(club.client.get(other, params=token), 404, "not-found")
    problem(club.client.get(path, params={"share": link["token"][:-1]}), 404, "not-found")
    problem(club.client.get(path, params={"share": ""}), 401, "unauthenticated")
    problem(club.client.patch(path, params=token, json={"reason": "mine"}), 401, "unauthenticated")
    problem(club.client.delete(path, params=token), 401, "unauthenticated")
    problem(club.client.get("/v1/hands", params=token), 401, "unauthenticated")
    assert club.client.delete(f"{path}/share", headers=club.anna).status_code == 204
    problem(club.client.get(link["path"]), 404, "not-found")
    again = club.client.put(f"{path}/share", headers=club.anna).json()
    assert again["token"] != link["token"]
