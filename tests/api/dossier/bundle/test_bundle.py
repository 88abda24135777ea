"""The exported file: deterministic, readable by any zip program, and every change to it is found
and named.
"""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hupai.api.dossier.bundle import strict_zip
from hupai.api.dossier.bundle.pack import KEY, LOG, MANIFEST, README, SIGNED, Manifest, pack
from hupai.api.dossier.bundle.strict_zip import Entry
from hupai.api.dossier.bundle.verify import STEPS, Verification, verify
from hupai.api.dossier.chain import log
from hupai.api.dossier.chain.canonical import canonical, digest, parse_canonical
from hupai.api.dossier.chain.events import Noted, Scored
from hupai.api.dossier.chain.hash_chain import SignedEvent, sign
from hupai.api.dossier.chain.keys import SigningKey
from hupai.api.dossier.chain.log import Log
from tests.api.dossier import cases
from tests.api.dossier.cases import BEGIN, REFEREE, key, photos, ruled
from tests.profile import NIGHTLY

PINNED = (key().public.fingerprint,)


def entries() -> list[Entry]:
    return list(strict_zip.read(cases.bundle()))


def repacked(
    change: Callable[[dict[str, bytes]], object], signer: SigningKey | None = None
) -> bytes:
    """The bundle with its files changed, its list signed anew by `signer` where there is one."""
    files = {entry.name: entry.data for entry in entries()}
    change(files)
    if signer is not None:
        listed = json.loads(files.pop(MANIFEST))["manifest"]
        listed["files"] = [
            {"path": name, "sha256": digest(data), "bytes": len(data)}
            for name, data in files.items()
        ]
        listed["key"] = signer.public.text
        lines = files[LOG].splitlines()
        listed["events"], listed["head"] = len(lines), json.loads(lines[-1])["hash"]
        files = {
            MANIFEST: canonical(
                {"manifest": listed, "signature": signer.sign(SIGNED + canonical(listed))}
            ),
            **files,
        }
    return strict_zip.write([Entry(name, data) for name, data in files.items()])


def fault_of(found: Verification) -> tuple[str, str]:
    assert found.fault is not None
    return found.fault.code, found.fault.where


def test_a_bundle_verifies() -> None:
    found = verify(cases.bundle(), PINNED, ruled().case.head[:16])
    assert found.fault is None
    assert found.passed == tuple(step for step, _, _ in STEPS)
    assert found.case == ruled().case
    assert found.scores == 9
    assert found.same_program


def test_the_same_case_gives_the_same_bytes() -> None:
    assert pack(log.read(ruled().lines), photos(), key()) == cases.bundle()


def test_any_zip_program_opens_it() -> None:
    with zipfile.ZipFile(io.BytesIO(cases.bundle())) as archive:
        assert archive.testzip() is None
        names = [f"photos/{digest(cases.photo())}.jpg", f"photos/{digest(cases.other_photo())}.png"]
        assert archive.namelist() == [
            *(MANIFEST, README, KEY, LOG),
            *names,
            *("check.html", "verify.py"),
        ]
        assert archive.read(names[0]) == cases.photo()
        assert len(archive.read(LOG).splitlines()) == len(ruled().events)


def framing() -> list[int]:
    """Every byte that belongs to the archive and not to a file in it."""
    found: list[int] = []
    at = 0
    for entry in entries():
        start = at + 30 + len(entry.name)
        found += range(at, start)
        at = start + len(entry.data)
    return [*found, *range(at, len(cases.bundle()))]


def test_one_changed_byte_is_found_wherever_it_is() -> None:
    data = cases.bundle()
    chance = random.Random(7)
    edges = [data.index(entry.data) + at for entry in entries() for at in (0, len(entry.data) - 1)]
    found_by: set[str] = set()
    within, anywhere = (60, 200) if NIGHTLY else (10, 20)
    tried = [*chance.sample(framing(), within), *chance.sample(range(len(data)), anywhere)]
    for at in [*edges, *tried]:
        changed = bytearray(data)
        changed[at] ^= 1 << (at % 8)
        found = verify(bytes(changed), PINNED)
        assert found.fault is not None, at
        found_by.add(found.fault.code.partition(".")[0])
    assert found_by >= {"container", "key", "manifest", "files", "bytes"}


def test_every_byte_of_the_archive_s_framing_counts() -> None:
    data = cases.bundle()
    for at in framing():
        changed = bytearray(data)
        changed[at] ^= 0x10
        try:
            found = strict_zip.read(bytes(changed))
        except strict_zip.ContainerError:
            continue
        renamed = [entry.name for entry in found] != [entry.name for entry in entries()]
        assert renamed or strict_zip.same(bytes(changed), found) is not None, at


@pytest.mark.nightly
@settings(max_examples=60, deadline=None)
@given(st.integers(0, len("x" * 10_000) - 1), st.integers(1, 255))
def test_one_changed_byte_is_found_whatever_it_becomes(at: int, flip: int) -> None:
    data = bytearray(cases.bundle())
    data[at * len(data) // 10_000] ^= flip
    assert verify(bytes(data), PINNED).fault is not None


def test_the_fault_names_the_file() -> None:
    data = cases.bundle()
    for name in (
        README,
        LOG,
        *(entry.name for entry in entries() if entry.name.startswith("photos/")),
    ):
        inside = next(entry.data for entry in entries() if entry.name == name)
        changed = bytearray(data)
        changed[data.index(inside) + len(inside) // 2] ^= 1
        assert fault_of(verify(bytes(changed))) == ("files", name)


def test_a_bundle_cut_short_is_found() -> None:
    data = cases.bundle()
    for size in (0, 3, 29, 100, len(data) // 2, len(data) - 500, len(data) - 22, len(data) - 1):
        assert verify(data[:size], PINNED).fault is not None, size
    for more in (data + b"\0", b"\0" + data, data + data):
        assert verify(more, PINNED).fault is not None


def test_an_event_removed_from_the_end_is_detected() -> None:
    def cut(files: dict[str, bytes]) -> None:
        files[LOG] = b"".join(line + b"\n" for line in files[LOG].splitlines()[:-1])

    assert fault_of(verify(repacked(cut))) == ("files", LOG)


def test_only_the_key_holder_can_shorten_the_log_and_the_printed_hash_reveals_it() -> None:
    def cut(files: dict[str, bytes]) -> None:
        files[LOG] = b"".join(line + b"\n" for line in files[LOG].splitlines()[:-1])

    shorter = repacked(cut, key())
    assert verify(shorter, PINNED).holds  # an export made before the last event
    assert fault_of(verify(shorter, PINNED, ruled().case.head)) == ("head", LOG)


def test_a_bundle_signed_by_another_key_is_found_by_the_fingerprint() -> None:
    thief = key("thief")

    def forge(files: dict[str, bytes]) -> None:
        again = log.begin(
            cases.CASE, [event.event.body for event in ruled().events], REFEREE, thief, BEGIN
        )
        files[LOG] = b"".join(line + b"\n" for line in again.lines)
        files[KEY] = thief.public.pem

    forged = repacked(forge, thief)
    assert verify(forged).holds  # it is consistent in itself: without a fingerprint nobody can tell
    assert fault_of(verify(forged, PINNED)) == ("key", KEY)

    def only_key(files: dict[str, bytes]) -> None:
        files[KEY] = thief.public.pem

    assert fault_of(verify(repacked(only_key))) == ("manifest", MANIFEST)
    assert fault_of(verify(repacked(only_key, thief), PINNED)) == ("key", KEY)
    assert fault_of(verify(repacked(only_key, thief))) == ("log.event_key", "event 0")


def test_both_keys_may_be_named_after_a_change_of_keys() -> None:
    new = key("new")
    later = log.extend(cases.opened(), [Noted(text="x")], REFEREE, new, BEGIN)
    data = pack(later, photos(), new)
    assert fault_of(verify(data)) == ("log.event_key", "event 0")
    assert verify(data, (key().public.fingerprint, new.public.fingerprint)).holds


def test_missing_extra_and_renamed_files_are_found() -> None:
    photo = next(entry.name for entry in entries() if entry.name.endswith(".jpg"))
    assert fault_of(verify(repacked(lambda files: files.pop(photo)))) == ("files", photo)
    assert fault_of(verify(repacked(lambda files: files.update({"more.txt": b"x"})))) == (
        "files",
        "more.txt",
    )
    assert fault_of(verify(repacked(lambda files: files.pop(LOG)))) == ("container", LOG)
    assert fault_of(verify(repacked(lambda files: files.pop(photo), key()))) == ("photos", photo)
    twice = strict_zip.write([*entries(), entries()[1]])
    assert fault_of(verify(twice)) == ("container", "names")


def test_a_replaced_photo_is_detected_even_if_the_list_is_signed_again() -> None:
    photo = next(entry.name for entry in entries() if entry.name.endswith(".jpg"))
    assert fault_of(
        verify(repacked(lambda files: files.update({photo: cases.other_photo()}), key()))
    ) == ("photos", photo)


def test_files_in_another_order_or_compressed_are_found() -> None:
    assert fault_of(verify(strict_zip.write(entries()[::-1]))) == ("files", "order")
    again = io.BytesIO()
    with zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in entries():
            archive.writestr(entry.name, entry.data)
    assert fault_of(verify(again.getvalue()))[0] == "container"


def rescored(total: int) -> Log:
    """The case as an installation would log it whose score is wrong."""
    bodies = [event.event.body for event in cases.opened().events]
    at = next(i for i, body in enumerate(bodies) if isinstance(body, Scored))
    scored = bodies[at]
    assert isinstance(scored, Scored)
    assert scored.result.score is not None
    score = replace(scored.result.score, total=total)
    bodies[at] = scored.model_copy(
        update={"result": scored.result.model_copy(update={"score": score})}
    )
    return log.begin(cases.CASE, bodies, REFEREE, key(), BEGIN)


def test_a_score_that_does_not_follow_from_the_hand_is_found() -> None:
    true = cases.opened().case.standing
    assert true is not None
    assert true.score is not None
    assert verify(pack(rescored(true.score.total), photos(), key()), PINNED).holds
    wrong = verify(pack(rescored(true.score.total + 1), photos(), key()), PINNED)
    assert fault_of(wrong) == ("scores", "event 3")
    assert wrong.fault is not None
    assert f"total: {true.score.total + 1} instead of {true.score.total}" in wrong.fault.message


def test_a_decision_by_a_player_is_found_even_if_it_is_signed() -> None:
    bodies = [event.event.body for event in ruled().events]
    lines: list[bytes] = []
    last: SignedEvent | None = None
    for body in bodies:
        last = sign(cases.CASE, last, cases.PLAYER, body, key(), BEGIN)
        lines.append(last.line)
    decided = next(i for i, body in enumerate(bodies) if body.kind == "correction_decided")
    data = repacked(
        lambda files: files.update({LOG: b"".join(line + b"\n" for line in lines)}), key()
    )
    assert fault_of(verify(data, PINNED)) == ("rules", f"event {decided}")


def test_rules_that_are_not_known_are_named() -> None:
    bodies = [event.event.body for event in cases.opened().events][:1]
    opening = bodies[0]
    other = opening.model_copy(
        update={"rules": cases.opened().case.opening.rules.model_copy(update={"id": "no-such"})}
    )
    data = pack(log.begin(cases.CASE, [other], REFEREE, key(), BEGIN), photos(), key())
    assert fault_of(verify(data))[0] == "scores"


def test_random_bytes_are_refused_without_an_exception() -> None:
    noise = random.Random(3)
    for size in (1, 30, 500, 5000):
        assert verify(noise.randbytes(size)).fault is not None
        assert verify(b"PK\3\4" + noise.randbytes(size)).fault is not None
    for junk in (
        b"{}",
        b"[]",
        b"null",
        b'{"manifest":{},"signature":""}',
        b'{"manifest":1,"signature":2}',
    ):
        assert fault_of(
            verify(repacked(lambda files, junk=junk: files.update({MANIFEST: junk})))  # type: ignore[misc]
        ) == ("manifest", MANIFEST)
    for line in (b"", b"null", b"[]", b'{"event":{},"hash":"","signature":""}', b"\xff\xfe"):
        data = repacked(
            lambda files, line=line: (  # type: ignore[misc]
                files.update({LOG: line + b"\n"}) if line.startswith(b"{") else None
            ),
            None,
        )
        assert isinstance(verify(data), Verification)


def test_the_container_check_reports_the_differing_byte() -> None:
    data = cases.bundle()
    assert strict_zip.same(data, entries()) is None
    for at in (4, 10, len(data) - 3, len(data) - 100):
        changed = bytearray(data)
        changed[at] ^= 1
        assert strict_zip.same(bytes(changed), entries()) == at


def test_a_missing_photo_is_an_error() -> None:
    with pytest.raises(KeyError):
        pack(ruled(), {}, key())
    assert (
        parse_canonical(entries()[0].data)["manifest"]["format"]
        == Manifest.model_fields["format"].default
    )
