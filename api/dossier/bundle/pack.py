"""A case as one file: log, photos, public key, a note on how to check it, two programs that do, and
a signed list of all of these.

The same log and photos give the same bytes. A chain stays valid if events are removed from its end.
So the signed list names the last event and the number of events, and only the holder of the key
could sign another list; the printed report names the last event, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from hupai.api.dossier.bundle.checkers import CHECKERS
from hupai.api.dossier.bundle.strict_zip import Entry, write
from hupai.api.dossier.chain.canonical import canonical, digest
from hupai.api.dossier.chain.events import Hex64, KeyCertificate, separator
from hupai.api.dossier.chain.keys import SigningKey
from hupai.api.dossier.chain.log import Log

MANIFEST, KEY, LOG, README = "manifest.json", "key.pem", "events.jsonl", "README.txt"
SIGNED = separator("bundle")
"""Domain separator of the signature over the list."""
_EXTENSIONS = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp", "image/heic": "heic"}

_README = """\
This is the dossier of a mahjong hand, kept by Hupai.
  events.jsonl   what happened, one signed event a line; each carries the hash of the one before
  photos/        the photos as they came; a file's name is its SHA-256
  key.pem        the public key (Ed25519) of the installation that signed
  manifest.json  the signed list of these files
  check.html     checks this file in a browser, without a network
  verify.py      the same with Python and the package cryptography
Check it, without a network:  hupai dossier verify FILE --key FINGERPRINT
or open check.html in a browser, or run  python verify.py FILE --key FINGERPRINT
Somebody who forged this file could have changed check.html and verify.py in it too: take them from
Hupai or from somebody you trust. Only hupai dossier verify computes the scores again.
The fingerprint is printed on the report and shown by the installation: hupai dossier key

本文件是和牌 Hupai 保存的一副牌的案卷。
  events.jsonl   经过，每行一条，均经签名，并含前一条的哈希
  photos/        原始照片，文件名即其 SHA-256
  key.pem        签名所用的公钥（Ed25519）
  manifest.json  以上文件的签名清单
  check.html     用浏览器离线核验本文件
  verify.py      用 Python 与 cryptography 核验
离线核验：hupai dossier verify 文件 --key 指纹
也可用浏览器打开 check.html，或运行 python verify.py 文件 --key 指纹
伪造者也可能改动文件内的 check.html 与 verify.py，请从可信来源取得。
只有 hupai dossier verify 会重新计分。
指纹印在报告上，也可在出具方运行 hupai dossier key 查看。
"""


class FileEntry(BaseModel):
    """A file of the bundle."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    sha256: Hex64
    bytes: int


class Manifest(BaseModel):
    """What a bundle holds: the case, its last event, and every file but the list itself.

    `certificates` lead from the key that signs the log to the one that signs this list, where that
    is another.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["hupai-bundle/1"] = "hupai-bundle/1"
    case: str
    events: int = Field(ge=1)
    head: Hex64
    key: str
    files: tuple[FileEntry, ...]
    certificates: tuple[KeyCertificate, ...] = Field(
        default=(), max_length=100, exclude_if=lambda value: not value
    )


@dataclass(frozen=True, slots=True)
class PhotoFile:
    """A photo of the case, and its path in the bundle."""

    sha256: str
    path: str


def photo_files(log: Log) -> tuple[PhotoFile, ...]:
    """List the photos of the case with their paths, in the order they were added."""
    return tuple(
        PhotoFile(
            one.record.sha256,
            f"photos/{one.record.sha256}.{_EXTENSIONS.get(one.record.media_type, 'bin')}",
        )
        for one in log.case.photos
    )


def pack(
    log: Log,
    photos: Mapping[str, bytes],
    key: SigningKey,
    certificates: tuple[KeyCertificate, ...] = (),
) -> bytes:
    """Build the bundle of a case.

    Args:
        log: the whole log.
        photos: the bytes of every photo of the case, by SHA-256.
        key: signs the list.
        certificates: lead to it from the key that signs the log, where that is another.

    Raises:
        KeyError: a photo is missing.
        hupai.api.dossier.bundle.strict_zip.ContainerError: it would be too large.
    """
    entries = [
        Entry(README, _README.encode()),
        Entry(KEY, key.public.pem),
        Entry(LOG, b"".join(line + b"\n" for line in log.lines)),
        *(Entry(file.path, photos[file.sha256]) for file in photo_files(log)),
        *(Entry(path.name, path.read_bytes()) for path in CHECKERS),
    ]
    files = tuple(
        FileEntry(path=entry.name, sha256=digest(entry.data), bytes=len(entry.data))
        for entry in entries
    )
    manifest = Manifest(
        case=log.case.id,
        events=len(log.events),
        head=log.case.head,
        key=key.public.text,
        files=files,
        certificates=certificates,
    )
    written = manifest.model_dump(mode="json")
    signature = key.sign(SIGNED + canonical(written))
    return write(
        [Entry(MANIFEST, canonical({"manifest": written, "signature": signature})), *entries]
    )
