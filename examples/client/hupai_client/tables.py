"""Broadcast tables: cameras, proposals, what is on air. Written by generate.py: do not edit."""

from __future__ import annotations

from collections.abc import Iterator

from hupai_client.core import File, Group, Json, quoted


class Tables(Group):
    """Broadcast tables: cameras, proposals, what is on air."""

    def list_tables(self) -> Json:
        """List broadcast tables."""
        return self._client.json("GET", "/v1/tables")

    def create_table(
        self,
        id: str,
        *,
        name: str | None = None,
        rules: str | None = None,
        source: str | None = None,
        auto: str | None = None,
        delay_seconds: float | None = None,
        theme: str | None = None,
        language: str | None = None,
        seats: list[Json] | None = None,
    ) -> Json:
        """Set up a broadcast table."""
        return self._client.json(
            "POST",
            "/v1/tables",
            json={
                "name": name,
                "rules": rules,
                "source": source,
                "auto": auto,
                "delay_seconds": delay_seconds,
                "theme": theme,
                "language": language,
                "seats": seats,
                "id": id,
            },
        )

    def show_table(self, table: str) -> Json:
        """Show a broadcast table to its operator."""
        return self._client.json("GET", f"/v1/tables/{quoted(table)}")

    def change_table(
        self,
        table: str,
        *,
        name: str | None = None,
        rules: str | None = None,
        source: str | None = None,
        auto: str | None = None,
        delay_seconds: float | None = None,
        theme: str | None = None,
        language: str | None = None,
        seats: list[Json] | None = None,
    ) -> Json:
        """Change a broadcast table."""
        return self._client.json(
            "PATCH",
            f"/v1/tables/{quoted(table)}",
            json={
                "name": name,
                "rules": rules,
                "source": source,
                "auto": auto,
                "delay_seconds": delay_seconds,
                "theme": theme,
                "language": language,
                "seats": seats,
            },
        )

    def remove_table(self, table: str) -> None:
        """Remove a broadcast table."""
        self._client.none("DELETE", f"/v1/tables/{quoted(table)}")

    def show_air(self, table: str) -> Json:
        """Show what is on air."""
        return self._client.json("GET", f"/v1/tables/{quoted(table)}/air")

    def command_table(self, table: str, body: Json) -> Json:
        """Approve, correct, hide."""
        return self._client.json("POST", f"/v1/tables/{quoted(table)}/commands", json={**body})

    def push_frame(self, table: str, photo: File) -> None:
        """Push a frame."""
        self._client.none("POST", f"/v1/tables/{quoted(table)}/frames", files={"photo": photo})

    def show_picture(self, table: str, *, side: int | None = None) -> bytes:
        """Show the newest frame."""
        return self._client.bytes(
            "GET", f"/v1/tables/{quoted(table)}/picture", query={"side": side}
        )

    def follow(
        self,
        table: str,
        *,
        after: str | None = None,
        last_event_id: str | None = None,
    ) -> Iterator[tuple[str, Json]]:
        """Follow what is on air."""
        return self._client.events(
            "GET",
            f"/v1/tables/{quoted(table)}/events",
            query={"after": after},
            header={"last-event-id": last_event_id},
        )
