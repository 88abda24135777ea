"""The Ed25519 key of an installation: made once, kept in the data folder, readable by its owner
only.

Errors, all saying what to do:

    KeyFileError
    ├── KeyExposedError    others may read the file
    └── KeyDamagedError    the file holds no Ed25519 key
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from base64 import b64decode, b64encode
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from hupai.api.dossier.chain.canonical import digest
from hupai.scoring.errors import HupaiError

FILE_NAME = "dossier-key.pem"
_PUBLIC_BYTES = 32
_SIGNATURE_BYTES = 64


class KeyFileError(HupaiError):
    """The installation's key cannot be used; the message says what to do."""


class KeyExposedError(KeyFileError):
    """The key file is readable by others than its owner, so anybody may have signed with it."""


class KeyDamagedError(KeyFileError):
    """The key file does not contain an Ed25519 private key."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key, which verifies signatures. `raw` are the 32 bytes of RFC 8032."""

    raw: bytes

    @classmethod
    def from_text(cls, text: str) -> PublicKey:
        """Parse base64.

        Raises:
            ValueError: it is not such a key, or is not written as `text` writes it.
        """
        raw = b64decode(text, validate=True)
        if len(raw) != _PUBLIC_BYTES or b64encode(raw).decode() != text:
            raise ValueError("a public key is 32 bytes in base64")
        return cls(raw)

    @classmethod
    def from_pem(cls, data: bytes) -> PublicKey:
        """Parse a PEM file.

        Raises:
            ValueError: it is not an Ed25519 public key, or is not written as `pem` writes it.
        """
        try:
            key = serialization.load_pem_public_key(data)
        except UnsupportedAlgorithm as error:
            raise ValueError("no Ed25519 public key") from error
        if not isinstance(key, Ed25519PublicKey):
            raise ValueError("no Ed25519 public key")
        found = cls(key.public_bytes_raw())
        if found.pem != data:
            raise ValueError("not in the usual PEM form")
        return found

    @property
    def text(self) -> str:
        """The key in base64."""
        return b64encode(self.raw).decode()

    @property
    def pem(self) -> bytes:
        """The key as a PEM file, which OpenSSL reads."""
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return Ed25519PublicKey.from_public_bytes(self.raw).public_bytes(
            serialization.Encoding.PEM, form
        )

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the 32 bytes, hexadecimal: what people compare."""
        return digest(self.raw)

    def is_among(self, fingerprints: Collection[str]) -> bool:
        """Whether one of these fingerprints, or prefixes of fingerprints, is this key's."""
        return any(self.fingerprint.startswith(one.lower()) for one in fingerprints)

    def signed(self, message: bytes, signature: str) -> bool:
        """Whether `signature` (base64) is a valid signature of the message by this key."""
        try:
            raw = b64decode(signature, validate=True)
            if len(raw) != _SIGNATURE_BYTES or b64encode(raw).decode() != signature:
                return False
            Ed25519PublicKey.from_public_bytes(self.raw).verify(raw, message)
        except (ValueError, InvalidSignature):
            return False
        return True


class SigningKey:
    """The private key of an installation."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key().public_bytes_raw())

    @classmethod
    def generate(cls) -> SigningKey:
        """Generate a key from the system's random numbers."""
        return cls(Ed25519PrivateKey.generate())

    def sign(self, message: bytes) -> str:
        """Sign a message; the signature is base64 and the same for the same message."""
        return b64encode(self._key.sign(message)).decode()

    @classmethod
    def open_encrypted(cls, path: Path, passphrase: str) -> SigningKey:
        """Open a person's key, kept as PKCS #8 encrypted with a passphrase (RFC 5958).

        Raises:
            KeyDamagedError: it is not such a key, or the passphrase is wrong.
            OSError: it cannot be read.
        """
        try:
            key = serialization.load_pem_private_key(path.read_bytes(), passphrase.encode())
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise KeyDamagedError(
                f"{path.name}: the passphrase is wrong, or the key in the file has none"
            ) from None
        if not isinstance(key, Ed25519PrivateKey):
            raise KeyDamagedError(f"{path.name} contains a key of another kind than Ed25519")
        return cls(key)

    def save(self, path: Path, passphrase: str = "") -> None:
        """Write the key to a new file that its owner alone may read, encrypted if a passphrase is
        given.

        Raises:
            FileExistsError: there is a file of this name.
            OSError: it cannot be written.
        """
        if path.exists():
            raise FileExistsError(path)
        _create(path, _pem(self._key, passphrase))

    @classmethod
    def of_installation(cls, folder: Path) -> SigningKey:
        """Return the key in this folder, making it at the first call.

        Processes that ask at the same time all get the same key.

        Raises:
            KeyExposedError: others may read it.
            KeyDamagedError: the file is not a key.
            OSError: if it can be neither read nor made.
        """
        path = folder / FILE_NAME
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _create(path, _pem(Ed25519PrivateKey.generate()))
        return cls(_load(path))


def _pem(key: Ed25519PrivateKey, passphrase: str = "") -> bytes:
    locked: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        locked = serialization.BestAvailableEncryption(passphrase.encode())
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked)


def _create(path: Path, data: bytes) -> None:
    """Write the file whole, with mode 0600, unless it is there already."""
    handle, name = mkstemp(prefix=".key-", dir=path.parent)  # mkstemp gives 0600 from the start
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(name, path)  # fails if another process was faster; its key is then used
    finally:
        os.unlink(name)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _load(path: Path) -> Ed25519PrivateKey:
    if sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise KeyExposedError(
            f"{path.name}: others may read the signing key: run chmod 600 {path}, "
            "and make a new one if they did"
        )
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KeyDamagedError(
            f"{path.name} contains no private key: restore it from a backup"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyDamagedError(
            f"{path.name} contains a key of another kind than Ed25519: move it away to get a "
            "new one"
        )
    return key
