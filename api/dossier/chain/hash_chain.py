"""The log as a chain: each event is written canonically, signed, and carries the hash of the one
before.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from hupai.api.dossier.chain.canonical import NotCanonicalError, canonical, digest, parse_canonical
from hupai.api.dossier.chain.events import GENESIS, Author, Body, Event, moment, separator
from hupai.api.dossier.chain.keys import PublicKey, SigningKey
from hupai.api.dossier.chain.signers import Signer, SignerError, follow, trusted_keys

_SIGNED = separator("event")
"""Domain separator of the signatures over events."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The first check that fails.

    Attributes:
        code: stable name.
        where: the event, file or byte it was found in.
        message: one sentence.
        message_zh: the same in Chinese.
    """

    code: str
    where: str
    message: str
    message_zh: str


@dataclass(frozen=True, slots=True)
class SignedEvent:
    """An event with its hash and signature; `line` are its bytes in the log, without the line
    break.
    """

    event: Event
    hash: str
    signature: str
    line: bytes


def sign(
    case: str, last: SignedEvent | None, author: Author, body: Body, key: SigningKey, at: datetime
) -> SignedEvent:
    """Build the next event of a log.

    Args:
        case: id of the case.
        last: the event before; None for the first.
        author: who.
        body: what.
        key: signs.
        at: when. A clock that went back does not reverse the log: the event before sets the
            earliest time.
    """
    time = moment(at) if last is None else max(moment(at), last.event.time)
    seq, prev = (0, GENESIS) if last is None else (last.event.seq + 1, last.hash)
    event = Event(
        case=case, seq=seq, time=time, author=author, key=key.public.text, prev=prev, body=body
    )
    written = event.model_dump(mode="json")
    data = canonical(written)
    signature = key.sign(_SIGNED + data)
    line = canonical({"event": written, "hash": digest(data), "signature": signature})
    return SignedEvent(Event.model_validate_json(data), digest(data), signature, line)


def check(
    lines: Sequence[bytes], trusted: Collection[str] | None = None
) -> tuple[tuple[SignedEvent, ...], Fault | None]:
    """Read a log: the events up to the first that does not hold, and what is wrong with that one.

    Args:
        lines: the log, one line per event.
        trusted: fingerprints of the keys that may sign, or their beginnings, besides those that
            follow from them (`hupai.api.dossier.chain.signers.trusted_keys`); None for any.
    """
    events: list[SignedEvent] = []
    signers: tuple[Signer, ...] = ()
    for number, line in enumerate(lines):
        found = _checked(line, number, events[-1] if events else None)
        if isinstance(found, SignedEvent):
            try:
                signers = follow(signers, found.event)
            except SignerError as error:
                found = _fault(number, "event_signer", f"{error}.", f"{error.zh}。")
        if isinstance(found, Fault):
            return tuple(events), found
        events.append(found)
    return _trusted(events, signers, trusted)


def _trusted(
    events: Sequence[SignedEvent], signers: Sequence[Signer], trusted: Collection[str] | None
) -> tuple[tuple[SignedEvent, ...], Fault | None]:
    """Return the events up to the first whose key is not trusted, and what is wrong with it."""
    if trusted is None:
        return tuple(events), None
    known = trusted_keys(signers, trusted)
    for at, signed in enumerate(events):
        key = PublicKey.from_text(signed.event.key)
        if key not in known:
            names = ", ".join(
                dict.fromkeys(PublicKey.from_text(one.event.key).fingerprint for one in events)
            )
            return tuple(events[:at]), _fault(
                at,
                "event_key",
                f"is signed by the key {key.fingerprint}, which is not trusted here. The keys that "
                f"signed this log are {names}: name each that you know with --key.",
                f"由不受信任的密钥 {key.fingerprint} 签署。本案卷的签名密钥：{names}。",
            )
    return tuple(events), None


def _fault(number: int, code: str, message: str, message_zh: str) -> Fault:
    where = f"event {number}"
    return Fault(code, where, f"{where}: {message}", f"第 {number} 条：{message_zh}")


def _checked(line: bytes, number: int, last: SignedEvent | None) -> SignedEvent | Fault:
    def fault(code: str, message: str, message_zh: str) -> Fault:
        return _fault(number, code, message, message_zh)

    try:
        row = parse_canonical(line)
    except NotCanonicalError as error:
        return fault("event_unreadable", f"{error}.", "无法读取或格式有变。")
    if not isinstance(row, dict) or set(row) != {"event", "hash", "signature"}:
        return fault(
            "event_unreadable",
            "has not the members event, hash and signature.",
            "缺少 event、hash 或 signature。",
        )
    data = canonical(row["event"])
    if row["hash"] != digest(data):
        return fault(
            "event_hash",
            "its content does not have the hash that stands beside it.",
            "内容与哈希不符。",
        )
    try:
        event = Event.model_validate_json(data)
        key = PublicKey.from_text(event.key)
    except ValidationError as error:
        first = error.errors()[0]
        return fault(
            "event_form",
            f"is no event: {'.'.join(map(str, first['loc']))}: {first['msg']}.",
            "不是有效的事件。",
        )
    except ValueError:
        return fault("event_key", "its key is no Ed25519 public key.", "密钥无效。")
    if not isinstance(row["signature"], str) or not key.signed(_SIGNED + data, row["signature"]):
        return fault("event_signature", "its signature is not valid.", "签名无效。")
    if event.seq != number or event.prev != (GENESIS if last is None else last.hash):
        return fault(
            "event_order",
            "does not follow the one before: an event was removed, added or moved.",
            "与前一条不衔接：有增删或换序。",
        )
    if last is not None and (event.case != last.event.case or event.time < last.event.time):
        return fault(
            "event_order",
            "is of another case, or older than the event before it.",
            "属于另一案卷，或早于前一条。",
        )
    return SignedEvent(event, row["hash"], row["signature"], line)
