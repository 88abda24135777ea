"""Photos and hands, scored. Written by generate.py: do not edit."""

from __future__ import annotations

from hupai_client.core import File, Group, Json, quoted


class Hands(Group):
    """Photos and hands, scored."""

    def list_hands(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        rules: str | None = None,
        author: str | None = None,
        certain: bool | None = None,
        legal: bool | None = None,
        corrected: bool | None = None,
        photo: str | None = None,
        min_total: int | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Json:
        """Stored hands, newest first."""
        return self._client.json(
            "GET",
            "/v1/hands",
            query={
                "limit": limit,
                "cursor": cursor,
                "rules": rules,
                "author": author,
                "certain": certain,
                "legal": legal,
                "corrected": corrected,
                "photo": photo,
                "min_total": min_total,
                "since": since,
                "until": until,
            },
        )

    def read_and_score(
        self,
        photo: list[File],
        rules: str,
        *,
        idempotency_key: str | None = None,
        circumstances: str | None = None,
        winning_tile: str | None = None,
        store: bool | None = None,
        tile_set: str | None = None,
    ) -> Json:
        """Read a photo, score the hand and keep it."""
        return self._client.json(
            "POST",
            "/v1/hands",
            header={"Idempotency-Key": idempotency_key},
            form={
                "rules": rules,
                "circumstances": circumstances,
                "winning_tile": winning_tile,
                "store": store,
                "tile_set": tile_set,
            },
            files={"photo": photo},
        )

    def get_hand(self, hand_id: str, *, share: str | None = None) -> Json:
        """A stored hand."""
        return self._client.json("GET", f"/v1/hands/{quoted(hand_id)}", query={"share": share})

    def change_hand(
        self,
        hand_id: str,
        *,
        if_match: str | None = None,
        rules: str | None = None,
        circumstances: Json | None = None,
        hand: Json | None = None,
        notation: str | None = None,
        winning_tile: str | None = None,
        answer: Json | None = None,
        back_to: int | None = None,
        tile_ids: Json | None = None,
        doubts: list[Json] | None = None,
        reason: str | None = None,
    ) -> Json:
        """Correct a stored hand."""
        return self._client.json(
            "PATCH",
            f"/v1/hands/{quoted(hand_id)}",
            header={"If-Match": if_match},
            json={
                "rules": rules,
                "circumstances": circumstances,
                "hand": hand,
                "notation": notation,
                "winning_tile": winning_tile,
                "answer": answer,
                "back_to": back_to,
                "tile_ids": tile_ids,
                "doubts": doubts,
                "reason": reason,
            },
        )

    def delete_hand(self, hand_id: str, *, if_match: str | None = None) -> None:
        """Delete a stored hand."""
        self._client.none("DELETE", f"/v1/hands/{quoted(hand_id)}", header={"If-Match": if_match})

    def read_several(
        self,
        photos: list[File],
        rules: str,
        *,
        idempotency_key: str | None = None,
        circumstances: str | None = None,
        store: bool | None = None,
        tile_set: str | None = None,
    ) -> Json:
        """Read several photos, one hand each."""
        return self._client.json(
            "POST",
            "/v1/hands/batch",
            header={"Idempotency-Key": idempotency_key},
            form={
                "rules": rules,
                "circumstances": circumstances,
                "store": store,
                "tile_set": tile_set,
            },
            files={"photos": photos},
        )

    def photo(
        self,
        hand_id: str,
        *,
        index: int | None = None,
        side: int | None = None,
        share: str | None = None,
        accept: str = "image/jpeg",
    ) -> bytes:
        """The photo of a stored hand."""
        return self._client.bytes(
            "GET",
            f"/v1/hands/{quoted(hand_id)}/photo",
            query={"index": index, "side": side, "share": share},
            header={"Accept": accept},
        )

    def annotated(
        self,
        hand_id: str,
        *,
        as_read: bool | None = None,
        photo: int | None = None,
        side: int | None = None,
        share: str | None = None,
        accept: str = "image/jpeg",
    ) -> bytes:
        """The photo of a stored hand with boxes and names."""
        return self._client.bytes(
            "GET",
            f"/v1/hands/{quoted(hand_id)}/annotated",
            query={"as_read": as_read, "photo": photo, "side": side, "share": share},
            header={"Accept": accept},
        )

    def share_hand(self, hand_id: str) -> Json:
        """Make a share link."""
        return self._client.json("PUT", f"/v1/hands/{quoted(hand_id)}/share")

    def unshare_hand(self, hand_id: str) -> None:
        """Take a share link back."""
        self._client.none("DELETE", f"/v1/hands/{quoted(hand_id)}/share")

    def score(
        self,
        rules: str,
        *,
        notation: str | None = None,
        hand: Json | None = None,
        circumstances: Json | None = None,
        doubts: list[Json] | None = None,
    ) -> Json:
        """Score a hand."""
        return self._client.json(
            "POST",
            "/v1/scores",
            json={
                "notation": notation,
                "hand": hand,
                "circumstances": circumstances,
                "rules": rules,
                "doubts": doubts,
            },
        )

    def waits(
        self,
        rules: str,
        *,
        notation: str | None = None,
        hand: Json | None = None,
        circumstances: Json | None = None,
        visible: list[str] | None = None,
    ) -> Json:
        """What a hand waits for."""
        return self._client.json(
            "POST",
            "/v1/waits",
            json={
                "notation": notation,
                "hand": hand,
                "circumstances": circumstances,
                "rules": rules,
                "visible": visible,
            },
        )

    def comparisons(
        self,
        *,
        notation: str | None = None,
        hand: Json | None = None,
        circumstances: Json | None = None,
        rules: list[str] | None = None,
    ) -> Json:
        """One hand under several rules."""
        return self._client.json(
            "POST",
            "/v1/comparisons",
            json={
                "notation": notation,
                "hand": hand,
                "circumstances": circumstances,
                "rules": rules,
            },
        )

    def deals(self, body: Json) -> Json:
        """Settle a Sichuan deal."""
        return self._client.json("POST", "/v1/deals", json={**body})
