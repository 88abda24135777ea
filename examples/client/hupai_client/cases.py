"""Disputes: photos, corrections, claims, rulings, as a signed log. Written by generate.py: do not edit."""

from __future__ import annotations

from hupai_client.core import File, Group, Json, quoted


class Cases(Group):
    """Disputes: photos, corrections, claims, rulings, as a signed log."""

    def list_cases(
        self,
        *,
        limit: int | None = None,
        before: str | None = None,
        state: str | None = None,
    ) -> Json:
        """Cases."""
        return self._client.json(
            "GET", "/v1/cases", query={"limit": limit, "before": before, "state": state}
        )

    def open_case(
        self,
        photo: list[File],
        rules: str,
        *,
        circumstances: str | None = None,
        title: str | None = None,
        stated: str | None = None,
    ) -> Json:
        """Open a case."""
        return self._client.json(
            "POST",
            "/v1/cases",
            form={"rules": rules, "circumstances": circumstances, "title": title, "stated": stated},
            files={"photo": photo},
        )

    def get_case(self, case_id: str) -> Json:
        """A case."""
        return self._client.json("GET", f"/v1/cases/{quoted(case_id)}")

    def add_photo(
        self,
        case_id: str,
        photo: File,
        *,
        stated: str | None = None,
        head: str | None = None,
    ) -> Json:
        """Add a photo."""
        return self._client.json(
            "POST",
            f"/v1/cases/{quoted(case_id)}/photos",
            form={"stated": stated, "head": head},
            files={"photo": photo},
        )

    def propose(
        self,
        case_id: str,
        reason: str,
        *,
        stated: str | None = None,
        head: str | None = None,
        hand: Json | None = None,
        notation: str | None = None,
        winning_tile: str | None = None,
        circumstances: Json | None = None,
        changes: list[Json] | None = None,
    ) -> Json:
        """Propose a correction."""
        return self._client.json(
            "POST",
            f"/v1/cases/{quoted(case_id)}/corrections",
            json={
                "stated": stated,
                "head": head,
                "reason": reason,
                "hand": hand,
                "notation": notation,
                "winning_tile": winning_tile,
                "circumstances": circumstances,
                "changes": changes,
            },
        )

    def decide(
        self,
        number: int,
        case_id: str,
        accepted: bool,
        *,
        stated: str | None = None,
        head: str | None = None,
        reason: str | None = None,
    ) -> Json:
        """Decide on a correction."""
        return self._client.json(
            "POST",
            f"/v1/cases/{quoted(case_id)}/corrections/{quoted(number)}/decision",
            json={"stated": stated, "head": head, "accepted": accepted, "reason": reason},
        )

    def claim(
        self,
        case_id: str,
        by: str,
        total: int,
        *,
        stated: str | None = None,
        head: str | None = None,
        unit: str | None = None,
        fans: list[str] | None = None,
        text: str | None = None,
    ) -> Json:
        """Claim a score."""
        return self._client.json(
            "POST",
            f"/v1/cases/{quoted(case_id)}/claims",
            json={
                "stated": stated,
                "head": head,
                "by": by,
                "total": total,
                "unit": unit,
                "fans": fans,
                "text": text,
            },
        )

    def rule(
        self,
        case_id: str,
        outcome: str,
        reason: str,
        *,
        stated: str | None = None,
        head: str | None = None,
        total: int | None = None,
        clause: str | None = None,
        fine: Json | None = None,
    ) -> Json:
        """Rule."""
        return self._client.json(
            "POST",
            f"/v1/cases/{quoted(case_id)}/rulings",
            json={
                "stated": stated,
                "head": head,
                "outcome": outcome,
                "total": total,
                "reason": reason,
                "clause": clause,
                "fine": fine,
            },
        )

    def note(
        self, case_id: str, text: str, *, stated: str | None = None, head: str | None = None
    ) -> Json:
        """Add a remark."""
        return self._client.json(
            "POST",
            f"/v1/cases/{quoted(case_id)}/notes",
            json={"stated": stated, "head": head, "text": text},
        )

    def set_state(
        self,
        case_id: str,
        closed: bool,
        reason: str,
        *,
        stated: str | None = None,
        head: str | None = None,
    ) -> Json:
        """Close or reopen."""
        return self._client.json(
            "POST",
            f"/v1/cases/{quoted(case_id)}/state",
            json={"stated": stated, "head": head, "closed": closed, "reason": reason},
        )

    def false_win(
        self,
        case_id: str,
        *,
        offender_is_dealer: bool | None = None,
        ready: list[str] | None = None,
    ) -> Json:
        """Help with a false win."""
        return self._client.json(
            "GET",
            f"/v1/cases/{quoted(case_id)}/false-win",
            query={"offender_is_dealer": offender_is_dealer, "ready": ready},
        )

    def signing_key(self) -> Json:
        """The key that signs cases."""
        return self._client.json("GET", "/v1/dossier-key")

    def export(self, case_id: str) -> bytes:
        """Export a case."""
        return self._client.bytes("GET", f"/v1/cases/{quoted(case_id)}/bundle")

    def photo(
        self,
        sha256: str,
        case_id: str,
        *,
        annotated: bool | None = None,
        side: int | None = None,
    ) -> bytes:
        """A photo of a case."""
        return self._client.bytes(
            "GET",
            f"/v1/cases/{quoted(case_id)}/photos/{quoted(sha256)}",
            query={"annotated": annotated, "side": side},
        )

    def report(self, case_id: str, *, language: str | None = None) -> bytes:
        """Print a case."""
        return self._client.bytes(
            "GET", f"/v1/cases/{quoted(case_id)}/report", query={"language": language}
        )
