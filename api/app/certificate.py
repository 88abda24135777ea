"""A self-signed certificate, for a network without a domain name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_DAYS = 397
"""Days for which a certificate is valid: browsers refuse longer ones."""
_RENEW_BEFORE = timedelta(days=7)
"""A certificate with less time left is renewed, days."""


def own_certificate(folder: Path, hosts: Sequence[str]) -> tuple[Path, Path]:
    """Return certificate and key for these hosts, renewed if they do not match or expire soon.

    It is self-signed: a browser warns once and shows its fingerprint.

    Args:
        folder: where both are kept; the key is readable only by its owner.
        hosts: addresses and names.

    Raises:
        OSError: if they cannot be written.
    """
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    if not (key.is_file() and _still_serves(certificate, hosts)):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        secret = ec.generate_private_key(ec.SECP256R1())
        _write(
            key,
            secret.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            ),
        )
        made = _signed(secret, hosts)
        _write(certificate, made.public_bytes(serialization.Encoding.PEM))
    return certificate, key


def fingerprint(certificate: Path) -> str:
    """Return the SHA-256 fingerprint of a certificate as browsers write it: ``AB:CD:…``."""
    found = x509.load_pem_x509_certificate(certificate.read_bytes())
    return found.fingerprint(hashes.SHA256()).hex(":").upper()


def _still_serves(certificate: Path, hosts: Sequence[str]) -> bool:
    """Return whether a certificate for these hosts exists and is valid for some more days."""
    try:
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return False
    lasts = found.not_valid_after_utc - datetime.now(UTC) > _RENEW_BEFORE
    return lasts and set(_names(hosts)) <= set(names)


def _signed(secret: ec.EllipticCurvePrivateKey, hosts: Sequence[str]) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Hupai")])
    moment = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(moment - timedelta(days=1))
        .not_valid_after(moment + timedelta(days=_DAYS - 1))
        .add_extension(x509.SubjectAlternativeName(_names(hosts)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(secret, hashes.SHA256())
    )


def _names(hosts: Sequence[str]) -> list[x509.GeneralName]:
    found: list[x509.GeneralName] = []
    for host in hosts:
        try:
            found.append(x509.IPAddress(ip_address(host)))
        except ValueError:
            found.append(x509.DNSName(host))
    return found


def _write(file: Path, content: bytes) -> None:
    """Write a file that only its owner may read."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write(content)
