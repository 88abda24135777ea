"""Bundles that were tampered with in every way we could think of, and some that hold."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from hupai.api.dossier.bundle import strict_zip
from hupai.api.dossier.bundle.pack import KEY, LOG, MANIFEST, README, pack
from hupai.api.dossier.chain import log
from hupai.api.dossier.chain.events import Author, Body, KeyChanged, Noted
from hupai.api.dossier.chain.hash_chain import SignedEvent, sign
from hupai.api.dossier.chain.signers import certify, declare_lost, introduction
from tests.api.dossier import cases
from tests.api.dossier.bundle.test_bundle import entries, repacked
from tests.api.dossier.cases import BEGIN, REFEREE, key, photos, ruled

OWN = key().public.fingerprint
LATER = BEGIN + timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Tried:
    """A file, what is known of who signed it, and whether it holds."""

    name: str
    data: bytes
    keys: tuple[str, ...] = (OWN,)
    head: str = ""
    holds: bool = False


def every() -> Iterator[Tried]:
    """Yield genuine files first, then one after another that is not."""
    yield from _genuine()
    yield from _bytes_changed()
    yield from _files_changed()
    yield from _log_changed()
    yield from _keys_changed()


def _genuine() -> Iterator[Tried]:
    data, head = cases.bundle(), ruled().case.head
    yield Tried("genuine", data, holds=True)
    yield Tried("its printed hash", data, head=head[:16], holds=True)
    yield Tried("nobody named", data, (), holds=True)
    yield Tried("key changed, old named", _key_changed(), holds=True)
    yield Tried(
        "key changed, new named", _key_changed(), (key("new").public.fingerprint,), "", True
    )
    yield Tried("list signed by a later key", _later_list(), holds=True)
    yield Tried("a person's key", _personal(), holds=True)
    both = (OWN, key("new").public.fingerprint)
    yield Tried("lost key, both named", _key_changed(lost=True), both, holds=True)


def _bytes_changed() -> Iterator[Tried]:
    data = cases.bundle()
    yield Tried("empty", b"")
    yield Tried("noise", random.Random(3).randbytes(3000))
    yield Tried("begins as an archive", b"PK\3\4" + random.Random(4).randbytes(3000))
    yield Tried("cut in half", data[: len(data) // 2])
    yield Tried("one byte short", data[:-1])
    yield Tried("one byte more", data + b"\0")
    yield Tried("twice", data + data)
    for name in (MANIFEST, README, KEY, LOG, "check.html", "verify.py"):
        inside = next(entry.data for entry in entries() if entry.name == name)
        yield Tried(f"a bit of {name}", _flipped(data.index(inside) + len(inside) // 2))
    yield Tried("a bit of the photo", _flipped(data.index(cases.photo()) + 900))
    yield Tried("a bit of the directory", _flipped(len(data) - 60))
    yield Tried("the date of an entry", _flipped(10))
    yield Tried("the mode of a file", _flipped(data.index(b"PK\1\2") + 40))


def _files_changed() -> Iterator[Tried]:
    photo = next(entry.name for entry in entries() if entry.name.endswith(".jpg"))
    changes: dict[str, Callable[[dict[str, bytes]], object]] = {
        "a photo missing": lambda files: files.pop(photo),
        "another photo": lambda files: files.update({photo: cases.other_photo()}),
        "a file more": lambda files: files.update({"more.txt": b"x"}),
        "a path upwards": lambda files: files.update({"../../evil": b"x"}),
        "no log": lambda files: files.pop(LOG),
        "no list": lambda files: files.pop(MANIFEST),
        "an empty list": lambda files: files.update({MANIFEST: b"{}"}),
        "a list that is none": lambda files: files.update({MANIFEST: b'{"manifest":1,"x":2}'}),
        "a list with white space": lambda files: files.update({MANIFEST: files[MANIFEST] + b"\n"}),
        "a key that is none": lambda files: files.update({KEY: b"-----BEGIN\nx\n-----END\n"}),
        "the thief's key": lambda files: files.update({KEY: key("thief").public.pem}),
    }
    for name, change in changes.items():
        yield Tried(name, repacked(change))
    yield Tried("a photo missing, list signed", repacked(lambda files: files.pop(photo), key()))
    other = repacked(lambda files: files.update({photo: cases.other_photo()}), key())
    yield Tried("another photo, list signed", other)
    yield Tried("two files of one name", strict_zip.write([*entries(), entries()[1]]))
    yield Tried("files in another order", strict_zip.write(entries()[::-1]))
    again = io.BytesIO()
    with zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in entries():
            archive.writestr(entry.name, entry.data)
    yield Tried("compressed", again.getvalue())


def _log_changed() -> Iterator[Tried]:
    lines = ruled().lines
    edited = json.loads(lines[7])
    edited["event"]["author"]["stated"] = "Eve"
    rewritten = json.dumps(edited, separators=(",", ":"), sort_keys=True).encode()
    forged = sign(cases.CASE, ruled().events[-1], REFEREE, Noted(text="x"), key("thief"), LATER)
    changes: dict[str, list[bytes]] = {
        "an entry removed": [*lines[:5], *lines[6:]],
        "two entries swapped": [*lines[:5], lines[6], lines[5], *lines[7:]],
        "an entry twice": [*lines[:6], *lines[5:]],
        "an entry edited": [*lines[:7], rewritten, *lines[8:]],
        "an entry with white space": [*lines[:7], lines[7] + b" ", *lines[8:]],
        "an empty entry": [*lines, b""],
        "no entry that is one": [*lines, b"null"],
        "an entry of the thief's": [*lines[:-1], forged.line],
        "a signature of another entry": [*lines[:7], lines[7][:-91] + lines[8][-91:], *lines[8:]],
        "an entry of another case": [*lines, _elsewhere().line],
    }
    for name, changed in changes.items():
        written = b"".join(line + b"\n" for line in changed)
        signed_anew = key() if name not in ("an empty entry", "no entry that is one") else None

        def change(files: dict[str, bytes], written: bytes = written) -> None:
            files[LOG] = written

        yield Tried(name, repacked(change, signed_anew))
    shorter = repacked(
        lambda files: files.update({LOG: b"".join(line + b"\n" for line in lines[:-1])}), key()
    )
    yield Tried("the end cut off, printed hash given", shorter, head=ruled().case.head)
    yield Tried("decided by a player", _by_player())


def _keys_changed() -> Iterator[Tried]:
    thief, new = key("thief").public.fingerprint, key("new").public.fingerprint
    yield Tried("signed anew by a thief", _stolen())
    yield Tried("genuine, the thief named", cases.bundle(), (thief,))
    yield Tried("genuine, another printed hash", cases.bundle(), head="0" * 16)
    yield Tried("lost key, old named", _key_changed(lost=True))
    yield Tried("lost key, new named", _key_changed(lost=True), (new,))
    yield Tried("key changed, thief named", _key_changed(), (thief,))
    yield Tried("only the person named", _personal(), (key("zhao").public.fingerprint,))
    silent = log.extend(cases.opened(), [Noted(text="x")], REFEREE, key("new"), LATER)
    yield Tried("key changed without a word", pack(silent, photos(), key("new")))
    yield Tried("a person's key for another", _personal("Li"))


def _flipped(at: int) -> bytes:
    data = bytearray(cases.bundle())
    data[at] ^= 1
    return bytes(data)


def _chained(case: str, made: list[tuple[Author, Body, str]]) -> list[SignedEvent]:
    """Sign entries one after another, whatever they say; the empty name is the usual key."""
    found: list[SignedEvent] = []
    for author, body, name in made:
        signer = key(name) if name else key()
        found.append(sign(case, found[-1] if found else None, author, body, signer, LATER))
    return found


def _elsewhere() -> SignedEvent:
    return sign(
        "0" * 8 + cases.CASE[8:], ruled().events[-1], REFEREE, Noted(text="x"), key(), LATER
    )


def _by_player() -> bytes:
    made = [(cases.PLAYER, event.event.body, "") for event in ruled().events]
    lines = b"".join(event.line + b"\n" for event in _chained(cases.CASE, made))
    return repacked(lambda files: files.update({LOG: lines}), key())


def _stolen() -> bytes:
    made = [(REFEREE, event.event.body, "thief") for event in ruled().events]
    lines = b"".join(event.line + b"\n" for event in _chained(cases.CASE, made))
    changed = {LOG: lines, KEY: key("thief").public.pem}
    return repacked(lambda files: files.update(changed), key("thief"))


def _key_changed(*, lost: bool = False) -> bytes:
    old, new = key(), key("new")
    one = declare_lost(old.public, new.public, BEGIN) if lost else certify(old, new.public, BEGIN)
    case = log.extend(cases.opened(), [KeyChanged(certificates=(one,))], REFEREE, new, LATER)
    return pack(log.extend(case, [Noted(text="新密钥")], REFEREE, new, LATER), photos(), new)


def _later_list() -> bytes:
    path = (certify(key(), key("new").public, BEGIN),)
    return pack(cases.opened(), photos(), key("new"), path)


def _personal(stated: str = "张三") -> bytes:
    known = introduction(cases.CASE, "张三", key("zhao"))
    case = log.extend(cases.opened(), [known], REFEREE, key(), LATER)
    author = Author(name="local", role="referee", stated=stated)
    said = sign(cases.CASE, case.events[-1], author, Noted(text="x"), key("zhao"), LATER)
    lines = b"".join(line + b"\n" for line in (*case.lines, said.line))
    return repacked(lambda files: files.update({LOG: lines}), key())
