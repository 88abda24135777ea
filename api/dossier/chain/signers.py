"""Who signs a log: the installation's key, the keys that followed it, and those of persons.

A key that replaces another is signed by it (`KeyCertificate`), so trust in either leads to the
other. A person's key is introduced by the installation's, and signs only what that person does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from hupai.api.dossier.chain.canonical import canonical
from hupai.api.dossier.chain.events import (
    Event,
    KeyCertificate,
    KeyChanged,
    KeyIntroduced,
    moment,
    separator,
)
from hupai.api.dossier.chain.keys import PublicKey, SigningKey
from hupai.scoring.errors import HupaiError

_SIGNED_KEY = separator("key")
_SIGNED_HOLDER = separator("holder")
"""Domain separators of the signatures over a key certificate and over a person's key."""


class SignerError(HupaiError):
    """An event signed by a key that may not sign it; `zh` says so in Chinese."""

    def __init__(self, en: str, zh: str) -> None:
        self.zh = zh
        super().__init__(en)


@dataclass(frozen=True, slots=True)
class Signer:
    """A key that signs a log.

    Attributes:
        key: its public part.
        first: the event from which on it may sign.
        holder: the person whose key it is; empty for a key of the installation.
        by: the key that it follows, or that introduced it; None if nothing in the log says so.
        lost: the key that it follows was lost, and did not sign that it follows.
    """

    key: PublicKey
    first: int
    holder: str = ""
    by: PublicKey | None = None
    lost: bool = False


def follow(signers: Sequence[Signer], event: Event) -> tuple[Signer, ...]:
    """Return the signers of a log after one more event.

    Raises:
        SignerError: the key may not sign this event.
    """
    key = PublicKey.from_text(event.key)
    if isinstance(event.body, KeyChanged):
        return (*signers, *_changed(signers, event, event.body))
    own = next((one for one in signers if one.key == key), None)
    if own is None:
        # Logs of earlier versions did not announce a new key; such a key is never trusted because
        # of another.
        own = Signer(key, event.seq)
        signers = (*signers, own)
    if key in _retired(signers):
        raise SignerError("it is signed by a key that was replaced", "签名密钥已被更换")
    if own.holder and event.author.stated != own.holder:
        raise SignerError(
            f"it is signed by the key of {own.holder}, but says that {event.author.shown} did it",
            "签名者与经手人不符",
        )
    if isinstance(event.body, KeyIntroduced):
        return (*signers, _introduced(signers, event, event.body, own))
    return tuple(signers)


def installation_key(signers: Sequence[Signer]) -> PublicKey:
    """Return the key of the installation that signs now."""
    return [one.key for one in signers if not one.holder][-1]


def trusted_keys(signers: Sequence[Signer], named: Collection[str]) -> frozenset[PublicKey]:
    """Return all keys that are trusted if those with the named fingerprints are.

    Trust goes from a key to the one that follows it and back, and from the installation's key to
    those it introduced; never past a key that was lost.
    """
    known = {one.key for one in signers if one.key.is_among(named)}
    for _ in signers:  # each round reaches at least one more key, until none is left to reach
        for one in signers:
            if one.by is None or one.lost:
                continue
            if one.by in known:
                known.add(one.key)
            elif one.key in known and not one.holder:
                known.add(one.by)
    return frozenset(known)


def certify(old: SigningKey, new: PublicKey, at: datetime) -> KeyCertificate:
    """Certify a successor key: sign it with the key it replaces."""
    time = moment(at)
    signature = old.sign(_certified(new.text, old.public.text, time))
    return KeyCertificate(key=new.text, follows=old.public.text, time=time, signature=signature)


def declare_lost(old: PublicKey, new: PublicKey, at: datetime) -> KeyCertificate:
    """State that a key replaces a lost one, which cannot sign the certificate."""
    return KeyCertificate(key=new.text, follows=old.text, time=moment(at), signature="")


def certificate_holds(certificate: KeyCertificate) -> bool:
    """Whether the certificate is signed by the replaced key; for a lost key it is not."""
    signed = _certified(certificate.key, certificate.follows, certificate.time)
    return PublicKey.from_text(certificate.follows).signed(signed, certificate.signature)


def introduction(case: str, holder: str, key: SigningKey) -> KeyIntroduced:
    """Introduce a person's key to a case, with its signature to prove that the person has it."""
    proof = key.sign(_held(case, holder, key.public.text))
    return KeyIntroduced(key=key.public.text, holder=holder, proof=proof)


def path_to(
    known: Sequence[KeyCertificate], first: PublicKey, last: PublicKey
) -> tuple[KeyCertificate, ...]:
    """Return the chain of certificates from one key to another; empty if there is none."""
    path: list[KeyCertificate] = []
    at = first.text
    while at != last.text:
        step = next((one for one in known if one.follows == at), None)
        if step is None or step in path:
            return ()
        path.append(step)
        at = step.key
    return tuple(path)


def _changed(signers: Sequence[Signer], event: Event, body: KeyChanged) -> list[Signer]:
    """Return the keys added by key changes, each certified by its predecessor."""
    at = installation_key(signers).text if signers else ""
    found = []
    for certificate in body.certificates:
        if certificate.follows != at or any(one.key.text == certificate.key for one in signers):
            raise SignerError(
                "the new key does not follow the one before", "新密钥与前一密钥不衔接"
            )
        if certificate.signature and not certificate_holds(certificate):
            raise SignerError("the old key did not sign the new one", "旧密钥未签署新密钥")
        key, by = PublicKey.from_text(certificate.key), PublicKey.from_text(certificate.follows)
        found.append(Signer(key, event.seq, by=by, lost=not certificate.signature))
        at = certificate.key
    if event.key != at:
        raise SignerError("it is not signed by the new key", "未由新密钥签署")
    return found


def _introduced(signers: Sequence[Signer], event: Event, body: KeyIntroduced, by: Signer) -> Signer:
    key = PublicKey.from_text(body.key)
    if by.holder or any(one.key == key for one in signers):
        raise SignerError("it introduces a key that it may not introduce", "不得引入此密钥")
    if not key.signed(_held(event.case, body.holder, body.key), body.proof):
        raise SignerError("the person's key did not sign the introduction", "个人密钥未签署")
    return Signer(key, event.seq, holder=body.holder, by=by.key)


def _retired(signers: Sequence[Signer]) -> frozenset[PublicKey]:
    return frozenset(one.by for one in signers if one.by is not None and not one.holder)


def _certified(key: str, follows: str, time: str) -> bytes:
    return _SIGNED_KEY + canonical({"follows": follows, "key": key, "time": time})


def _held(case: str, holder: str, key: str) -> bytes:
    return _SIGNED_HOLDER + canonical({"case": case, "holder": holder, "key": key})
