"""The keys of an installation: the one that signs now, those that it follows, and the persons whose
keys it knows. All of it lies in the data folder; `dossier-keys.json` holds nothing secret.

    KeyFileError
    ├── KeyLostError       cases are signed, but the key that signed them is not here
    └── PersonUnknownError the key of a person was not registered here
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from hupai.api.dossier.chain.events import KeyCertificate
from hupai.api.dossier.chain.keys import (
    FILE_NAME,
    KeyDamagedError,
    KeyFileError,
    PublicKey,
    SigningKey,
)
from hupai.api.dossier.chain.signers import certify, declare_lost, path_to

RING_NAME = "dossier-keys.json"


class KeyLostError(KeyFileError):
    """Cases here were signed by another key than the available one, and no certificate leads from
    it to this one.
    """


class PersonUnknownError(KeyFileError):
    """A person's key that is not registered with this installation."""


class Person(BaseModel):
    """A person whose key may sign; `key` is the public part, base64."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    key: str


class _Ring(BaseModel):
    """The content of `dossier-keys.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    certificates: tuple[KeyCertificate, ...] = ()
    persons: tuple[Person, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonalKey:
    """A decrypted key of a person; `name` is the name it is registered under."""

    name: str
    key: SigningKey


class KeyRing:
    """The keys in a data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ring = _read(folder / RING_NAME)

    @property
    def certificates(self) -> tuple[KeyCertificate, ...]:
        """The certificates of key changes, in order."""
        return self._ring.certificates

    @property
    def persons(self) -> tuple[Person, ...]:
        """The persons whose keys are registered."""
        return self._ring.persons

    def installation_key(self, signed_by: Collection[PublicKey]) -> SigningKey:
        """Return the key that signs now; the very first call, before any case, makes it.

        Args:
            signed_by: the key that signed the newest case, if there is any.

        Raises:
            KeyLostError: the file is gone, or holds a key that did not follow the one that signed.
            KeyFileError: it cannot be used.
            OSError: it can be neither read nor made.
        """
        path = self._folder / FILE_NAME
        if signed_by and not path.exists():
            raise KeyLostError(
                f"{FILE_NAME} is gone, but cases here are signed by the key "
                f"{', '.join(one.fingerprint for one in signed_by)}: restore it from a backup to "
                f"{path}, or run hupai dossier key --lost to go on with a new one"
            )
        key = SigningKey.of_installation(self._folder)
        for one in signed_by:
            if one != key.public and not path_to(self.certificates, one, key.public):
                raise KeyLostError(
                    f"{FILE_NAME} holds the key {key.public.fingerprint}, but cases here are "
                    f"signed by {one.fingerprint}: restore that key from a backup (is this the "
                    "right data folder?), or run hupai dossier key --lost to go on with this one"
                )
        return key

    def rotate(self, at: datetime) -> tuple[PublicKey, PublicKey]:
        """Replace the key by a new one that it signs; the old file is kept beside it.

        At every moment there is a key that signs: the old one until the new one takes its place.

        Returns:
            The old and the new key.

        Raises:
            KeyFileError: the old one cannot be used.
            OSError: the files cannot be written; the old one goes on to sign.
        """
        old = SigningKey.of_installation(self._folder)
        new = SigningKey.generate()
        path = self._folder / FILE_NAME
        fresh = path.with_suffix(".new")
        fresh.unlink(missing_ok=True)  # of a change that broke off
        try:
            new.save(fresh)
            self._write(
                _Ring(
                    certificates=(*self.certificates, certify(old, new.public, at)),
                    persons=self.persons,
                )
            )
            with suppress(FileExistsError):
                os.link(path, path.with_name(f"dossier-key-{old.public.fingerprint[:16]}.pem"))
            os.replace(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
        return old.public, new.public

    def accept_loss(self, lost: Collection[PublicKey], at: datetime) -> PublicKey:
        """Continue with the available key, or a new one, in place of lost keys.

        Returns:
            The key that signs from now on.
        """
        key = SigningKey.of_installation(self._folder).public
        followed = [
            declare_lost(one, key, at)
            for one in lost
            if one != key and not path_to(self.certificates, one, key)
        ]
        self._write(_Ring(certificates=(*self.certificates, *followed), persons=self.persons))
        return key

    def register(self, name: str, key: PublicKey) -> None:
        """Register a person's key; a key that is known gets the new name."""
        others = tuple(one for one in self.persons if one.key != key.text)
        persons = (*others, Person(name=name, key=key.text))
        self._write(_Ring(certificates=self.certificates, persons=persons))

    def person(self, key: SigningKey) -> PersonalKey:
        """Return a person's key with the name it is registered under.

        Raises:
            PersonUnknownError: it is not registered.
        """
        name = next((one.name for one in self.persons if one.key == key.public.text), None)
        if name is None:
            raise PersonUnknownError(
                f"the key {key.public.fingerprint} is not registered here: "
                "run hupai dossier signer NAME --from FILE"
            )
        return PersonalKey(name, key)

    def _write(self, ring: _Ring) -> None:
        path = self._folder / RING_NAME
        self._folder.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(ring.model_dump_json(indent=1), encoding="utf-8")
        os.replace(fresh, path)
        self._ring = ring


def _read(path: Path) -> _Ring:
    try:
        return _Ring.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return _Ring()
    except (ValueError, ValidationError, OSError) as error:
        raise KeyDamagedError(f"{path} cannot be read: restore it from a backup") from error
