#!/usr/bin/env python3
"""Check an exported case of Hupai without Hupai. 不需安装和牌 Hupai 即可核验案卷。

    python verify.py case.zip --key FINGERPRINT [--head HASH]

Needs Python 3.10 or later and the package ``cryptography``; no network. It checks the file, the
signatures, the order of the entries and the photos. It does not compute scores again, which takes
``hupai dossier verify``. Take this program from somebody you trust, not from the file that you
check. Ends with 0 where the file holds and a named key signed it, 1 where it does not hold or no
--key says who signed, 2 for bad usage.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import sys
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

STEPS = ("container", "key", "manifest", "files", "log", "head", "rules", "photos", "bytes")
MOST_BYTES, MOST_ENTRIES = 2**31, 1000
LOCAL = struct.Struct("<4sHHHHHIIIHH")
CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
END = struct.Struct("<4sHHHHIIH")
PEM = b"-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n"
ED25519 = bytes.fromhex("302a300506032b6570032100")
REFEREE_ONLY = ("correction_decided", "ruled", "closed", "reopened")


class WrongError(Exception):
    """The first thing that does not hold: step, place, and one sentence."""

    def __init__(self, step: str, where: str, said: str) -> None:
        self.step, self.where = step, where
        super().__init__(said)


def sha256(data: bytes) -> str:
    """Return the SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def fingerprint(key: str) -> str:
    """Return the fingerprint of a public key in base64."""
    return sha256(b64decode(key))


def signed(key: str, message: bytes, signature: str) -> bool:
    """Whether a signature (base64) of a message is that of a key (base64)."""
    try:
        raw, given = b64decode(key, validate=True), b64decode(signature, validate=True)
        if b64encode(given).decode() != signature or b64encode(raw).decode() != key:
            return False
        Ed25519PublicKey.from_public_bytes(raw).verify(given, message)
    except (ValueError, InvalidSignature):
        return False
    return True


def unzip(data: bytes) -> list[tuple[str, bytes]]:
    """Return the files of the archive, in order; nothing is written anywhere."""
    found: list[tuple[str, bytes]] = []
    at = 0
    while data[at : at + 4] == b"PK\3\4":
        if len(data) < at + LOCAL.size:
            raise WrongError("container", f"byte {at}", "the archive is cut off")
        fields = LOCAL.unpack_from(data, at)
        start = at + LOCAL.size + fields[9] + fields[10]
        if fields[3] != 0 or fields[7] != fields[8]:
            raise WrongError("container", f"byte {at}", "an entry is compressed")
        if start + fields[8] > len(data) or len(found) >= MOST_ENTRIES:
            raise WrongError("container", f"byte {at}", "the archive is cut off")
        try:
            name = data[at + LOCAL.size : at + LOCAL.size + fields[9]].decode("ascii")
        except UnicodeDecodeError:
            raise WrongError("container", f"byte {at}", "a file name is not ASCII") from None
        found.append((name, data[start : start + fields[8]]))
        at = start + fields[8]
    if not found or data[at : at + 4] != b"PK\1\2":
        raise WrongError("container", f"byte {at}", "this is no whole archive of a case")
    return found


def zipped(files: list[tuple[str, bytes]]) -> bytes:
    """Write the archive as Hupai writes it, so that every byte can be compared."""
    body, directory = bytearray(), bytearray()
    for name, data in files:
        said, size = name.encode("ascii"), len(data)
        crc, at = zlib.crc32(data), len(body)
        body += LOCAL.pack(b"PK\3\4", 20, 0, 0, 0, 33, crc, size, size, len(said), 0) + said + data
        made = (b"PK\1\2", 788, 20, 0, 0, 0, 33, crc, size, size, len(said))
        directory += CENTRAL.pack(*made, 0, 0, 0, 0, 0o100644 << 16, at) + said
    count = len(files)
    end = END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(body), 0)
    return bytes(body + directory + end)


def taken_apart(data: bytes, *names: tuple[str, int]) -> tuple[bytes, list[str]] | None:
    """Take a line apart: the bytes of its first member, and the text members of known length that
    follow it. None where it is written in another way.
    """
    found: list[str] = []
    rest = data
    tail = b"}"
    for name, length in reversed(names[1:]):
        head = f',"{name}":"'.encode()
        whole = len(head) + length + 1 + len(tail)
        part = rest[-whole:]
        if not part.startswith(head) or not part.endswith(b'"' + tail):
            return None
        found.insert(0, part[len(head) : len(head) + length].decode("ascii", "replace"))
        rest, tail = rest[:-whole], b""
    first = f'{{"{names[0][0]}":'.encode()
    return (rest[len(first) :], found) if rest.startswith(first) else None


class Check:
    """One check of a bundle; each step leaves what the next needs."""

    def __init__(self, data: bytes, named: list[str], head: str | None) -> None:
        self.data, self.named, self.printed = data, [one.lower() for one in named], head
        self.events: list[dict[str, Any]] = []
        self.hashes: list[str] = []
        self.signers: list[dict[str, Any]] = []
        self.key = ""

    def run(self) -> tuple[list[str], WrongError | None]:
        """Return the steps that held, and the first thing that does not."""
        passed: list[str] = []
        for step in STEPS:
            try:
                getattr(self, f"check_{step}")()
            except WrongError as wrong:
                return passed, wrong
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                return passed, WrongError(step, step, f"it cannot be read: {error!r}")
            passed.append(step)
        return passed, None

    def check_container(self) -> None:
        """Read the archive."""
        self.list = unzip(self.data)
        self.files = dict(self.list)
        for name in ("manifest.json", "key.pem", "events.jsonl"):
            if name not in self.files:
                raise WrongError("container", name, f"{name} is missing")
        if len(self.files) != len(self.list):
            raise WrongError("container", "names", "two files have the same name")

    def check_key(self) -> None:
        """Read the key, and see whether trust leads to it from those that were named."""
        pem = self.files["key.pem"]
        raw = b64decode(pem.split(b"\n")[1])[len(ED25519) :] if pem.count(b"\n") > 1 else b""
        if PEM % b64encode(ED25519 + raw) != pem or len(raw) != 32:
            raise WrongError("key", "key.pem", "key.pem is no Ed25519 public key")
        self.key = b64encode(raw).decode()
        self.read_log(strict=False)
        self.add_certificates()
        self.known = self.trusted()
        if self.key not in self.known:
            names = ", ".join(fingerprint(one["key"]) for one in self.signers)
            raise WrongError(
                "key", "key.pem", f"it is signed by a key that you did not name; its keys: {names}"
            )

    def add_certificates(self) -> None:
        """Add the key that signs the list, where it follows the one that signs the log."""
        keys = [one["key"] for one in self.signers]
        if self.key in keys:
            return
        try:
            listed = json.loads(self.files["manifest.json"])["manifest"].get("certificates", [])
            for one in listed if self.signers else ():
                self.signers.append(
                    {**self.followed(one), "lost": not certified(one), "first": len(self.events)}
                )
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        if self.key not in [one["key"] for one in self.signers]:
            self.signers.append(signer(self.key, len(self.events)))

    def followed(self, certificate: dict[str, Any]) -> dict[str, Any]:
        """Return the signer that a certificate brings."""
        made = signer(certificate["key"], 0)
        return {**made, "by": certificate["follows"]}

    def trusted(self) -> set[str]:
        """Return the keys to be trusted: those named, and those that follow from them."""
        named = self.named or [fingerprint(self.key)]
        known = {
            one["key"]
            for one in self.signers
            if any(fingerprint(one["key"]).startswith(name) for name in named)
        }
        for _ in self.signers:
            for one in self.signers:
                if one["by"] and not one["lost"]:
                    if one["by"] in known:
                        known.add(one["key"])
                    elif one["key"] in known and not one["holder"]:
                        known.add(one["by"])
        return known

    def check_manifest(self) -> None:
        """Check the signature of the list of files."""
        apart = taken_apart(self.files["manifest.json"], ("manifest", 0), ("signature", 88))
        if apart is None:
            raise WrongError("manifest", "manifest.json", "manifest.json is written otherwise")
        written, (signature,) = apart
        if not signed(self.key, b"hupai-dossier/1 bundle\n" + written, signature):
            raise WrongError(
                "manifest", "manifest.json", "the list of files is not signed by key.pem"
            )
        self.manifest = json.loads(written)
        if self.manifest["key"] != self.key or self.manifest["format"] != "hupai-bundle/1":
            raise WrongError("manifest", "manifest.json", "the list names another key")

    def check_files(self) -> None:
        """Compare every file with the list."""
        listed = self.manifest["files"]
        for one in listed:
            data = self.files.get(one["path"])
            if data is None:
                raise WrongError("files", one["path"], f"{one['path']} is missing")
            if len(data) != one["bytes"] or sha256(data) != one["sha256"]:
                raise WrongError(
                    "files", one["path"], f"{one['path']} is not the file that was signed"
                )
        names = ["manifest.json", *(one["path"] for one in listed)]
        for name in self.files:
            if name not in names:
                raise WrongError("files", name, f"{name} is not in the list")
        if [name for name, _ in self.list] != names:
            raise WrongError("files", "order", "the files are in another order than in the list")

    def check_log(self) -> None:
        """Check hash, signature, order and signer of every entry."""
        self.read_log(strict=True)
        for number, event in enumerate(self.events):
            if event["key"] not in self.known:
                raise WrongError(
                    "log",
                    f"event {number}",
                    f"it is signed by the key {fingerprint(event['key'])}, which you did not name",
                )

    def read_log(self, *, strict: bool) -> None:
        """Read the entries; without `strict`, only as far as they hold."""
        self.events, self.hashes, self.signers = [], [], []
        lines = self.files["events.jsonl"].split(b"\n")
        try:
            if lines.pop() or not lines:
                raise WrongError("log", "events.jsonl", "the log does not end with a whole entry")
            for number, line in enumerate(lines):
                self.read_entry(number, line)
        except (WrongError, ValueError, KeyError, TypeError) as wrong:
            if strict and isinstance(wrong, WrongError):
                raise
            if strict:
                raise WrongError(
                    "log", f"event {len(self.events)}", f"it is no entry: {wrong!r}"
                ) from wrong

    def read_entry(self, number: int, line: bytes) -> None:
        """Check one entry against the one before, and take it up."""
        where = f"event {number}"
        apart = taken_apart(line, ("event", 0), ("hash", 64), ("signature", 88))
        if apart is None:
            raise WrongError("log", where, f"entry {number} is written otherwise")
        written, (found, signature) = apart
        if sha256(written) != found:
            raise WrongError("log", where, f"entry {number} does not have its hash")
        event = json.loads(written)
        if not signed(event["key"], b"hupai-dossier/1 event\n" + written, signature):
            raise WrongError("log", where, f"the signature of entry {number} is not valid")
        before = self.events[-1] if self.events else event
        follows = self.hashes[-1] if self.hashes else "0" * 64
        if (event["seq"], event["prev"], event["case"]) != (number, follows, before["case"]):
            raise WrongError("log", where, f"entry {number} does not follow the one before")
        if event["time"] < before["time"]:
            raise WrongError("log", where, f"entry {number} is older than the one before")
        self.follow(event, where)
        self.events.append(event)
        self.hashes.append(found)

    def follow(self, event: dict[str, Any], where: str) -> None:
        """Take up the keys that an entry brings; refuse one that may not sign it."""
        body = event["body"]
        keys = [one["key"] for one in self.signers]
        if body["kind"] == "key_changed":
            at = next((one["key"] for one in reversed(self.signers) if not one["holder"]), "")
            for one in body["certificates"]:
                if one["follows"] != at or one["key"] in keys:
                    raise WrongError("log", where, "a new key does not follow the one before")
                if one["signature"] and not certified(one):
                    raise WrongError("log", where, "the old key did not sign the new one")
                made = self.followed(one)
                self.signers.append({**made, "first": event["seq"], "lost": not one["signature"]})
                at = one["key"]
            if event["key"] != at:
                raise WrongError("log", where, "a change of keys is not signed by the new key")
            return
        if event["key"] not in keys:
            self.signers.append(signer(event["key"], event["seq"]))
        own = next(one for one in self.signers if one["key"] == event["key"])
        if own["key"] in {one["by"] for one in self.signers if not one["holder"]}:
            raise WrongError("log", where, "it is signed by a key that was replaced")
        if own["holder"] and event["author"]["stated"] != own["holder"]:
            raise WrongError("log", where, f"the key of {own['holder']} signed what another did")
        if body["kind"] == "key_introduced":
            said = json.dumps(
                {"case": event["case"], "holder": body["holder"], "key": body["key"]},
                ensure_ascii=False,
                separators=(",", ":"),
            )
            held = b"hupai-dossier/1 holder\n" + said.encode()
            if own["holder"] or body["key"] in keys or not signed(body["key"], held, body["proof"]):
                raise WrongError("log", where, "a person's key is introduced wrongly")
            made = signer(body["key"], event["seq"])
            self.signers.append({**made, "holder": body["holder"], "by": own["key"]})

    def check_head(self) -> None:
        """See whether the log is whole."""
        last = (len(self.events), self.hashes[-1], self.events[-1]["case"])
        if last != (self.manifest["events"], self.manifest["head"], self.manifest["case"]):
            raise WrongError("head", "events.jsonl", "the log does not end as the list says")
        if self.printed and not any(one.startswith(self.printed.lower()) for one in self.hashes):
            raise WrongError(
                "head", "events.jsonl", f"no entry has the printed hash {self.printed}"
            )

    def check_rules(self) -> None:
        """See whether the case was opened first, and only referees did what referees do."""
        closed = False
        for event in self.events:
            kind, where = event["body"]["kind"], f"event {event['seq']}"
            if (kind == "opened") != (event["seq"] == 0):
                raise WrongError("rules", where, "the case is not opened by its first entry")
            if closed and kind not in ("reopened", "key_changed", "key_introduced"):
                raise WrongError("rules", where, "something follows in a closed case")
            if kind in REFEREE_ONLY and event["author"]["role"] != "referee":
                raise WrongError("rules", where, "only a referee may do this")
            closed = kind == "closed" or (closed and kind != "reopened")

    def check_photos(self) -> None:
        """Compare the photos with their entries."""
        for photo in self.photos():
            path = next((name for name in self.files if name[7:71] == photo["sha256"]), "")
            data = self.files.get(path, b"")
            if sha256(data) != photo["sha256"] or len(data) != photo["bytes"]:
                raise WrongError("photos", path or photo["name"], f"{photo['name']} is missing")

    def photos(self) -> Iterator[dict[str, Any]]:
        """Yield the photos of the case."""
        for event in self.events:
            if event["body"]["kind"] == "photo_added":
                yield event["body"]["photo"]

    def check_bytes(self) -> None:
        """Compare the archive byte for byte."""
        if zipped(self.list) != self.data:
            raise WrongError("bytes", "archive", "the archive itself was changed")


def signer(key: str, first: int) -> dict[str, Any]:
    """Return a key that signs from an entry on."""
    return {"key": key, "first": first, "holder": "", "by": "", "lost": False}


def certified(one: dict[str, Any]) -> bool:
    """Whether the old key signed that the new one follows it."""
    said = json.dumps(
        {"follows": one["follows"], "key": one["key"], "time": one["time"]}, separators=(",", ":")
    )
    return signed(one["follows"], b"hupai-dossier/1 key\n" + said.encode(), one["signature"])


def digits(least: int) -> Any:
    """Return a type of argument: hexadecimal digits, at least so many."""

    def parsed(text: str) -> str:
        if not least <= len(text) <= 64 or set(text.lower()) - set("0123456789abcdef"):
            raise argparse.ArgumentTypeError(f"give {least} to 64 hexadecimal digits")
        return text

    return parsed


def main() -> int:
    """Check the file named on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("file")
    parser.add_argument("--key", action="append", default=[], type=digits(32))
    parser.add_argument("--head", type=digits(16))
    parser.add_argument("--any-key", action="store_true", help="do not ask whose key signed")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    try:
        with open(given.file, "rb") as file:
            data = file.read(4)
            if data == b"PK\3\4":
                data += file.read(MOST_BYTES)
    except (OSError, MemoryError) as error:
        print(f"{given.file}: {error}", file=sys.stderr)
        return 1
    check = Check(data, given.key, given.head)
    passed, wrong = check.run()
    keys = [{**one, "fingerprint": fingerprint(one["key"])} for one in check.signers]
    if given.json:
        fault = wrong and {"step": wrong.step, "where": wrong.where, "message": str(wrong)}
        print(
            json.dumps({"holds": wrong is None, "passed": passed, "fault": fault, "signers": keys})
        )
    else:
        for step in passed:
            print(f"ok      {step}")
        if wrong is not None:
            print(f"FAILED  {wrong.step}, {wrong.where}: {wrong}. 核验未通过。")
        for one in keys if wrong is None else ():
            whose = f"key of {one['holder']}" if one["holder"] else "key"
            print(f"        {whose} {one['fingerprint']}, from entry {one['first']}")
        if wrong is None:
            known = "" if given.key else ", SIGNER UNKNOWN (give --key) · 成立，签署人未核对"
            print(f"holds{known}: case {check.manifest['case']}; scores were not computed again")
    return 0 if wrong is None and (given.key or given.any_key) else 1


if __name__ == "__main__":
    sys.exit(main())
