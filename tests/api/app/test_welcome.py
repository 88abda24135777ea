"""What `hupai serve` prints, and the certificate it makes for itself."""

from __future__ import annotations

import re
import ssl
from pathlib import Path

import pytest

from hupai.api.app import welcome as module
from hupai.api.app.certificate import fingerprint, own_certificate
from hupai.api.app.welcome import welcome
from hupai.api.auth.keys import KeyStore
from hupai.api.storage import Storage
from hupai.api.web.settings import Settings

LAN = "192.168.1.5"


@pytest.fixture(autouse=True)
def _lan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "lan_address", lambda: LAN)


def welcome_text(settings: Settings, address: str = "0.0.0.0", scheme: str = "http") -> str:
    return "\n".join(welcome(settings, address, 8000, scheme))


def test_on_this_machine_only_the_address_is_printed() -> None:
    text = welcome_text(Settings(), "127.0.0.1")
    assert text == "Hupai is at http://127.0.0.1:8000/  (stop with Ctrl+C)"


def test_on_the_network_a_qr_code_pairs_a_phone_with_a_working_key(tmp_path: Path) -> None:
    text = welcome_text(Settings(host="0.0.0.0", data_dir=str(tmp_path)))
    found = re.search(rf"http://{re.escape(LAN)}:8000/#key=(\S+)", text)
    assert found is not None
    assert "█" in text
    storage = Storage(tmp_path)
    holder = KeyStore(storage.database).find(found[1])
    storage.close()
    assert holder is not None
    assert holder.scopes == {"player"}


def test_without_required_keys_it_warns_what_is_open(tmp_path: Path) -> None:
    text = welcome_text(Settings(host="0.0.0.0", require_keys=False, data_dir=str(tmp_path)))
    assert "OPEN TO EVERYBODY" in text
    assert "#key=" not in text


def test_without_storage_for_keys_it_warns() -> None:
    assert "none can be made" in welcome_text(Settings(host="0.0.0.0", data_dir=":temporary:"))


def test_with_explicitly_required_keys_no_code_is_shown(tmp_path: Path) -> None:
    text = welcome_text(
        Settings(host="0.0.0.0", require_keys=True, data_dir=str(tmp_path)), scheme="https"
    )
    assert f"https://{LAN}:8000/" in text
    assert "#key=" not in text


def test_a_certificate_is_kept_until_it_no_longer_matches(tmp_path: Path) -> None:
    certificate, key = own_certificate(tmp_path / "tls", ["localhost", LAN])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    assert key.stat().st_mode & 0o777 == 0o600
    first = fingerprint(certificate)
    assert re.fullmatch(r"([0-9A-F]{2}:){31}[0-9A-F]{2}", first)
    own_certificate(tmp_path / "tls", [LAN])
    assert fingerprint(certificate) == first
    own_certificate(tmp_path / "tls", ["10.0.0.9"])
    assert fingerprint(certificate) != first
    certificate.write_text("no certificate", encoding="utf-8")
    own_certificate(tmp_path / "tls", ["10.0.0.9"])
    assert fingerprint(certificate) != first
