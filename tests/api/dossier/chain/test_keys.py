"""The installation's key: made once, private, and refused when it is not."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from hupai.api.dossier.chain.key_ring import RING_NAME, KeyRing
from hupai.api.dossier.chain.keys import (
    FILE_NAME,
    KeyDamagedError,
    KeyExposedError,
    PublicKey,
    SigningKey,
)
from tests.api.dossier.cases import BEGIN

MESSAGE = b"a message"


def test_the_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    first = SigningKey.of_installation(folder)
    mode = stat.S_IMODE((folder / FILE_NAME).stat().st_mode)
    assert mode == 0o600
    assert SigningKey.of_installation(folder).public == first.public
    assert [path.name for path in folder.iterdir()] == [FILE_NAME]


def test_concurrent_threads_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: SigningKey.of_installation(tmp_path).public, range(16)))
    assert len(set(keys)) == 1


def test_concurrent_processes_get_the_same_key(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from hupai.api.dossier.chain.keys import SigningKey
print(SigningKey.of_installation(Path(sys.argv[1])).public.text)
"""
    asked = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    assert len({process.communicate()[0] for process in asked}) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="modes are Unix")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_key_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    SigningKey.of_installation(tmp_path)
    (tmp_path / FILE_NAME).chmod(mode)
    with pytest.raises(KeyExposedError, match="chmod 600"):
        SigningKey.of_installation(tmp_path)


def test_files_other_than_ed25519_keys_are_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    other = generate_private_key(SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for content in (b"", b"no key at all", other):
        path.write_bytes(content)
        path.chmod(0o600)
        with pytest.raises(KeyDamagedError):
            SigningKey.of_installation(tmp_path)
        assert path.read_bytes() == content


def test_a_signature_is_valid_only_for_its_message_and_key() -> None:
    key, other = SigningKey.generate(), SigningKey.generate()
    signature = key.sign(MESSAGE)
    assert key.public.signed(MESSAGE, signature)
    assert key.sign(MESSAGE) == signature
    assert not key.public.signed(MESSAGE + b"!", signature)
    assert not other.public.signed(MESSAGE, signature)
    assert not key.public.signed(MESSAGE, signature[:-4])
    assert not key.public.signed(MESSAGE, "no base64 at all")


def test_the_last_bits_of_base64_count_too() -> None:
    """64 bytes leave four bits over in the last character: other characters there decode to the
    same bytes.
    """
    key = SigningKey.generate()
    signature = key.sign(MESSAGE)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    twin = signature[:-3] + alphabet[alphabet.index(signature[-3]) ^ 1] + signature[-2:]
    assert twin != signature
    assert not key.public.signed(MESSAGE, twin)


def test_pem_and_text_round_trip(tmp_path: Path) -> None:
    public = SigningKey.of_installation(tmp_path).public
    assert PublicKey.from_pem(public.pem) == public == PublicKey.from_text(public.text)
    assert len(public.fingerprint) == 64
    for wrong in (public.pem + b"\n", public.pem.replace(b"PUBLIC", b"PRIVATE"), b""):
        with pytest.raises(ValueError):
            PublicKey.from_pem(wrong)
    with pytest.raises(ValueError):
        PublicKey.from_text(public.text[:-4])


def test_a_change_of_the_key_that_fails_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = SigningKey.of_installation(tmp_path).public

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no space left"):
            KeyRing(tmp_path).rotate(BEGIN)
    ring = KeyRing(tmp_path)
    assert ring.installation_key([old]).public == old
    assert ring.rotate(BEGIN) == (old, ring.installation_key([old]).public)
    keys = {FILE_NAME, f"dossier-key-{old.fingerprint[:16]}.pem"}
    assert {path.name for path in tmp_path.iterdir()} == keys | {RING_NAME}
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in keys} == {0o600}
