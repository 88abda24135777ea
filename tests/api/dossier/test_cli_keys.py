"""Bundles verified with keys: changed, lost, exchanged, and of referees."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hupai.api.dossier.bundle.strict_zip import read as read_archive
from hupai.api.dossier.chain.keys import FILE_NAME, PublicKey, SigningKey
from tests.api.dossier.cases import bundle, key, ruled
from tests.api.dossier.commands import done, hupai, opened
from tests.api.dossier.report.test_report import text_of

pytestmark = pytest.mark.usefixtures("installation")


@pytest.mark.nightly
def test_a_file_verified_without_a_key_has_an_unknown_signer(tmp_path: Path) -> None:
    file = tmp_path / "case.zip"
    file.write_bytes(bundle())
    result = hupai("verify", file)
    assert result.exit_code == 1
    assert "valid, signer unknown" in result.stdout
    assert "--any-key" in result.stderr
    assert "valid, signer unknown" in done("verify", file, "--any-key")
    paper = tmp_path / "case.pdf"
    refused = hupai("report", file, "-o", paper)
    assert (refused.exit_code, paper.exists()) == (1, False)
    done("report", file, "-o", paper, "--any-key", "-l", "en")
    assert "Who signed it was NOT checked" in text_of(paper.read_bytes())
    fingerprint = key().public.fingerprint
    done("report", file, "-o", paper, "--key", fingerprint, "--head", ruled().case.head)
    assert "NOT checked" not in text_of(paper.read_bytes())
    assert hupai("report", file, "-o", paper, "--key", "0" * 64).exit_code == 1
    assert (
        hupai("report", file, "-o", paper, "--key", fingerprint, "--head", "0" * 16).exit_code == 1
    )


def test_a_changed_key_is_signed_by_the_old_one_and_the_printed_command_verifies(
    hand: Path, tmp_path: Path
) -> None:
    case = opened(hand)
    old = done("key")
    new = done("key", "--change")
    assert new != old
    done("note", case, "signed by the new key")
    file, paper = tmp_path / "case.zip", tmp_path / "case.pdf"
    done("export", case, "-o", file)
    done("report", case, "-o", paper, "-l", "en")
    text = text_of(paper.read_bytes()).replace(" ", "")
    assert old in text
    assert new in text
    printed = re.search(r"verifyFILE--key([0-9a-f]{32})--head([0-9a-f]{32})", text)
    assert printed is not None
    done("verify", file, "--key", printed[1], "--head", printed[2])
    for one in (old, new):
        said = json.loads(done("verify", file, "--key", one, "--json"))
        assert [row["fingerprint"] for row in said["signers"]] == [old, new]
    assert hupai("verify", file, "--key", "0" * 64).exit_code == 1


@pytest.mark.nightly
def test_an_export_after_a_change_of_key_verifies_with_the_old_key(
    hand: Path, tmp_path: Path
) -> None:
    case = opened(hand)
    old = done("key")
    done("key", "--change")
    new = done("key", "--change")
    file = tmp_path / "case.zip"
    done("export", case, "-o", file)
    done("verify", file, "--key", old)
    done("verify", file, "--key", new)


@pytest.mark.nightly
def test_a_lost_key_is_refused_until_it_is_declared_lost(hand: Path, tmp_path: Path) -> None:
    case = opened(hand)
    old = done("key")
    path = tmp_path / "data" / FILE_NAME
    path.rename(tmp_path / "elsewhere.pem")
    for words in (["note", case, "x"], ["key"], ["export", case]):
        result = hupai(*words)
        assert result.exit_code == 1
        assert old in result.stderr.replace("\n", "")
        assert not path.exists()
    new = done("key", "--lost")
    done("note", case, "without the old key")
    file, paper = tmp_path / "case.zip", tmp_path / "case.pdf"
    done("export", case, "-o", file)
    for one in (old, new):  # nothing says that the two belong together
        assert hupai("verify", file, "--key", one).exit_code == 1
    done("verify", file, "--key", old, "--key", new)
    done("report", case, "-o", paper, "-l", "en")
    text = text_of(paper.read_bytes()).replace(" ", "")
    assert f"--key{old[:32]}--key{new[:32]}" in text
    assert "inplaceofalostkey" in text


def test_an_exchanged_key_is_refused(hand: Path, tmp_path: Path) -> None:
    case = opened(hand)
    path = tmp_path / "data" / FILE_NAME
    path.unlink()
    SigningKey.generate().save(path)
    result = hupai("note", case, "x")
    assert result.exit_code == 1
    assert "--lost" in result.stderr


def test_a_referee_signs_with_a_key_of_their_own(hand: Path, tmp_path: Path) -> None:
    own, secret = tmp_path / "zhao.pem", tmp_path / "passphrase"
    secret.write_text("eight or more\n")
    sign: list[str | Path] = ["--sign-with", own, "--passphrase-file", secret]
    personal = done("signer", "Zhao", "-o", own, "--passphrase-file", secret)
    assert b"ENCRYPTED" in own.read_bytes()
    assert personal in done("signer")
    case = opened(hand)
    done("rule", case, "win", "--reason", "seen", *sign)
    file = tmp_path / "case.zip"
    done("export", case, "-o", file)
    said = json.loads(done("verify", file, "--key", done("key"), "--json"))
    assert [row["holder"] for row in said["signers"]] == ["", "Zhao"]
    assert said["signers"][1]["fingerprint"] == personal
    lines = [
        json.loads(line)["event"]
        for entry in read_archive(file.read_bytes())
        if entry.name == "events.jsonl"
        for line in entry.data.splitlines()
    ]
    (ruling,) = (line for line in lines if line["body"]["kind"] == "ruled")
    assert PublicKey.from_text(ruling["key"]).fingerprint == personal
    assert ruling["author"]["stated"] == "Zhao"
    assert hupai("verify", file, "--key", personal).exit_code == 1  # vouches for nobody else
    assert hupai("note", case, "x", "--as", "Li", *sign).exit_code == 2
    secret.write_text("another one")
    wrong = hupai("note", case, "x", *sign)
    assert wrong.exit_code == 1
    assert "passphrase" in wrong.stderr


def test_a_key_that_is_not_registered_signs_nothing(hand: Path, tmp_path: Path) -> None:
    case = opened(hand)
    own, secret = tmp_path / "own.pem", tmp_path / "passphrase"
    secret.write_text("eight or more")
    SigningKey.generate().save(own, "eight or more")
    result = hupai("note", case, "x", "--sign-with", own, "--passphrase-file", secret)
    assert result.exit_code == 2
    assert "signer NAME --from" in result.stderr.replace("\n", " ")
    done("signer", "Li", "--from", own, "--passphrase-file", secret)
    done("note", case, "x", "--sign-with", own, "--passphrase-file", secret)


def test_a_file_other_than_a_bundle_is_not_read_completely(tmp_path: Path) -> None:
    large = tmp_path / "large.zip"
    with large.open("wb") as file:
        file.truncate(6 * 2**30)  # takes no room on the disk
    result = hupai("verify", large)
    assert result.exit_code == 1
    assert "not an exported case" in result.stderr.replace("\n", " ")
    with large.open("r+b") as file:
        file.write(b"PK\3\4")
    result = hupai("verify", large)
    assert result.exit_code == 1
    assert "bytes, more than" in result.stderr.replace("\n", " ")


def test_a_damaged_key_is_reported(hand: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE_NAME).write_text("nothing")
    result = hupai("key")
    assert result.exit_code == 1
    assert "chmod 600" in result.stderr
