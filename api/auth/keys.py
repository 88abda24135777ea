"""API keys: made once, shown once, stored as a salted hash.

A key is ``hupai_<id>_<secret>``: 8 characters that find the row, and 32 random bytes that prove it.
One round of hashing is enough for a long random secret: slow hashes protect those that people
choose.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from hmac import compare_digest
from secrets import token_bytes, token_hex

from sqlalchemy import LargeBinary, String, select
from sqlalchemy.orm import Mapped, mapped_column

from hupai.api.auth.principal import SCOPES, Principal
from hupai.api.storage.base import Base, now
from hupai.api.storage.database import Database
from hupai.scoring.errors import HupaiError

_FORM = re.compile(r"hupai_([0-9a-f]{8})_([A-Za-z0-9_-]{43})")
_LONGEST_NAME = 60
PAIRED = "phones"
"""Name of the keys by which phones are paired."""
RESERVED = ("local", "reader")
"""Authors without a key: clients that send none, and readings that go on air automatically."""
PAIRING_DAYS = 30
"""Days for which a paired phone is let in."""


class ApiKey(Base):
    """A stored key: everything but its secret."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(String(8), primary_key=True)
    name: Mapped[str] = mapped_column(String(_LONGEST_NAME), index=True)
    scopes: Mapped[str] = mapped_column(String(60))
    salt: Mapped[bytes] = mapped_column(LargeBinary(16))
    digest: Mapped[bytes] = mapped_column(LargeBinary(32))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class BadKeyRequestError(HupaiError, ValueError):
    """A key that cannot be made or found; the message says what to do."""


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """What may be shown of a key; `state` is ``active``, ``expired`` or ``revoked``."""

    id: str
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    state: str


class KeyStore:
    """The keys of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, scopes: Sequence[str], days: int | None = None) -> tuple[str, KeyInfo]:
        """Make a key. Its text is returned here and cannot be shown again.

        Args:
            name: name of its holder, stored with what they create.
            scopes: at least one of player, operator, referee.
            days: after which it expires; None for never.

        Raises:
            BadKeyRequestError: the scope is unknown, or the name is invalid or that of another
                active key.
            StorageError: it cannot be stored.
        """
        return self._add(name, scopes, days, alone=True)

    def pair(self) -> tuple[str, KeyInfo]:
        """Make a key for the phones of a club, for `PAIRING_DAYS`; earlier ones stay valid.

        They share one name, so that a phone that pairs anew still sees its hands.

        Raises:
            StorageError: if it cannot be stored.
        """
        return self._add(PAIRED, ("player",), PAIRING_DAYS, alone=False)

    def _add(
        self, name: str, scopes: Sequence[str], days: int | None, *, alone: bool
    ) -> tuple[str, KeyInfo]:
        chosen = _checked_scopes(scopes)
        if not name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME:
            raise BadKeyRequestError(f"a name has 1 to {_LONGEST_NAME} printable characters")
        if name != name.strip():
            raise BadKeyRequestError("a name does not begin or end with a space")
        if name in RESERVED or (alone and name == PAIRED):
            raise BadKeyRequestError(f"{name!r} is reserved in logs and lists: choose another name")
        moment = now()
        secret = urlsafe_b64encode(token_bytes(32)).rstrip(b"=").decode()
        salt = token_bytes(16)
        row = ApiKey(
            id=token_hex(4),
            name=name,
            scopes=" ".join(chosen),
            salt=salt,
            digest=_digest(salt, secret),
            created_at=moment,
            expires_at=None if days is None else moment + timedelta(days=days),
            revoked_at=None,
        )
        with self._database.session() as session:
            others = session.scalars(select(ApiKey).where(ApiKey.name == name))
            if alone and any(_state(other, moment) == "active" for other in others):
                raise BadKeyRequestError(
                    f"an active key is called {name!r}: revoke it first, or choose another name"
                )
            session.add(row)
            session.flush()
            return f"hupai_{row.id}_{secret}", _info(row, moment)

    def all(self) -> tuple[KeyInfo, ...]:
        """List every key, the oldest first."""
        moment = now()
        with self._database.session(write=False) as session:
            return tuple(
                _info(row, moment)
                for row in session.scalars(select(ApiKey).order_by(ApiKey.created_at, ApiKey.id))
            )

    def revoke(self, which: str) -> tuple[KeyInfo, ...]:
        """Revoke the active keys with this name or id at once, and return them.

        Raises:
            BadKeyRequestError: if there is none.
        """
        moment = now()
        with self._database.session() as session:
            wanted = select(ApiKey).where(
                (ApiKey.id == which) | (ApiKey.name == which), ApiKey.revoked_at.is_(None)
            )
            rows = session.scalars(wanted).all()
            if not rows:
                raise BadKeyRequestError(
                    f"no active key has the name or id {which!r}: `hupai keys list` shows them"
                )
            for row in rows:
                row.revoked_at = moment
            session.flush()
            return tuple(_info(row, moment) for row in rows)

    def find(self, text: str) -> Principal | None:
        """Find the holder of a key; None for one that is unknown, revoked or expired."""
        matched = _FORM.fullmatch(text)
        if matched is None:
            return None
        with self._database.session(write=False) as session:
            row = session.get(ApiKey, matched[1])
            if (
                row is None
                or not compare_digest(_digest(row.salt, matched[2]), row.digest)
                or _state(row, now()) != "active"
            ):
                return None
            return Principal.with_scopes(row.name, frozenset(row.scopes.split()))


def _checked_scopes(scopes: Sequence[str]) -> list[str]:
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise BadKeyRequestError(
            f"{unknown[0]!r} is not a scope"
            if unknown
            else f"choose at least one scope of {', '.join(SCOPES)}"
        )
    return [scope for scope in SCOPES if scope in scopes]


def _digest(salt: bytes, secret: str) -> bytes:
    return sha256(salt + secret.encode()).digest()


def _state(row: ApiKey, moment: datetime) -> str:
    if row.revoked_at is not None:
        return "revoked"
    return "expired" if row.expires_at is not None and row.expires_at <= moment else "active"


def _info(row: ApiKey, moment: datetime) -> KeyInfo:
    return KeyInfo(
        row.id,
        row.name,
        tuple(row.scopes.split()),
        row.created_at,
        row.expires_at,
        row.revoked_at,
        _state(row, moment),
    )
