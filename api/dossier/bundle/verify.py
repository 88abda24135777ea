"""Verifies that a bundle is what was signed, and that its scores follow from what was read. Needs
nothing but the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from hupai.api.dossier.bundle.pack import KEY, LOG, MANIFEST, SIGNED, Manifest, photo_files
from hupai.api.dossier.bundle.strict_zip import ContainerError, Entry, read, same
from hupai.api.dossier.case import Case, LogError, fold
from hupai.api.dossier.chain.canonical import NotCanonicalError, canonical, digest, parse_canonical
from hupai.api.dossier.chain.events import (
    CorrectionDecided,
    CorrectionProposed,
    KeyCertificate,
    ResultRecord,
    Scored,
)
from hupai.api.dossier.chain.hash_chain import Fault, check
from hupai.api.dossier.chain.keys import PublicKey
from hupai.api.dossier.chain.log import Log
from hupai.api.dossier.chain.signers import Signer, certificate_holds, follow, trusted_keys
from hupai.api.dossier.photo_records import photo_record
from hupai.api.dossier.recorded_scores import RulesGoneError, difference, program, rules_of
from hupai.scoring.errors import HupaiError
from hupai.vision.photo.decode import PhotoError

STEPS: tuple[tuple[str, str, str], ...] = (
    ("container", "the file can be opened", "文件可以打开"),
    ("key", "the key can be read, and is the one named where one is", "密钥可读，且与指定的一致"),
    ("manifest", "the list of files is signed", "清单签名有效"),
    ("files", "every file is the one in the list", "各文件与清单一致"),
    (
        "log",
        "every event has its hash and signature and follows the one before",
        "每条记录的哈希、签名与次序成立",
    ),
    ("head", "no event is missing at the end", "末尾没有缺失"),
    ("rules", "the events obey the rules of a case", "经过符合案卷规则"),
    ("photos", "the photos are those that were recorded", "照片与记录一致"),
    ("scores", "every recorded score follows from its hand", "每个记录的得分可由牌重新算出"),
    ("bytes", "not one byte of the file is changed", "文件逐字节未改"),
)
"""The checks in their order: id, and description in both languages."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check found.

    Attributes:
        passed: ids of the steps that held, in order.
        fault: the first thing that does not hold; None if all does. Its code begins with the id
            of the step.
        case: the case, as far as it could be read.
        fingerprint: fingerprint of the key that signed the list, if it could be read.
        scores: number of recorded scores that were computed again.
        same_program: False if another version scored than the one that checks.
        signer_named: False if no key was named to be trusted, so that who signed is not known.
        signers: every key in it, in the order they came.
    """

    passed: tuple[str, ...]
    fault: Fault | None
    case: Case | None = None
    fingerprint: str = ""
    scores: int = 0
    same_program: bool = True
    signer_named: bool = False
    signers: tuple[Signer, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every check passed."""
        return self.fault is None


class _FaultFoundError(HupaiError):
    def __init__(self, fault: Fault) -> None:
        self.fault = fault


def verify(data: bytes, trusted: Collection[str] = (), head: str | None = None) -> Verification:
    """Check a bundle.

    Args:
        data: the file.
        trusted: fingerprints of the keys that may have signed, or at least 32 digits of them; keys
            that follow from them are trusted too. With none, the key in the file is believed, and
            who signed is not known.
        head: hash of the last event as printed on a report, or its first characters: it must be in
            the log.
    """
    return _Check(data, frozenset(trusted), head).run()


class _Check:
    """One verification; each step provides what the next needs."""

    def __init__(self, data: bytes, trusted: frozenset[str], head: str | None) -> None:
        self.data, self.trusted, self.head = data, trusted, head
        self.case: Case | None = None
        self.fingerprint = ""
        self.scores = 0
        self.same_program = True
        self.signers: tuple[Signer, ...] = ()

    def run(self) -> Verification:
        steps: Mapping[str, Callable[[], None]] = {
            "container": self._container,
            "key": self._key,
            "manifest": self._manifest,
            "files": self._files,
            "log": self._log,
            "head": self._head,
            "rules": self._rules,
            "photos": self._photos,
            "scores": self._scores,
            "bytes": self._bytes,
        }
        passed: list[str] = []
        fault = None
        for name, _, _ in STEPS:
            try:
                steps[name]()
            except _FaultFoundError as found:
                fault = found.fault
                break
            passed.append(name)
        return Verification(
            tuple(passed),
            fault,
            self.case,
            self.fingerprint,
            self.scores,
            self.same_program,
            bool(self.trusted),
            self.signers,
        )

    def _container(self) -> None:
        try:
            self.entries = read(self.data)
        except ContainerError as error:
            raise _found(
                "container",
                f"byte {error.at}",
                f"The file is damaged: {error}.",
                f"文件损坏（第 {error.at} 字节）。",
            ) from None
        self.files: dict[str, Entry] = {entry.name: entry for entry in self.entries}
        missing = next((name for name in (MANIFEST, KEY, LOG) if name not in self.files), None)
        if missing is not None:
            raise _found("container", missing, f"{missing} is missing.", f"缺少 {missing}。")
        if len(self.files) != len(self.entries):
            raise _found("container", "names", "Two files have the same name.", "有重名文件。")

    def _key(self) -> None:
        try:
            self.key = PublicKey.from_pem(self.files[KEY].data)
        except ValueError as error:
            raise _found("key", KEY, f"{KEY}: {error}.", "公钥无效。") from None
        self.fingerprint = self.key.fingerprint
        self.signers = self._found_signers()
        self.known = trusted_keys(self.signers, self.trusted or {self.fingerprint})
        if self.key not in self.known:
            names = ", ".join(one.key.fingerprint for one in self.signers)
            raise _found(
                "key",
                KEY,
                f"The bundle was signed by the key {self.fingerprint}, which is not trusted here. "
                f"The keys in it are {names}: name each that you know with --key.",
                f"由不受信任的密钥 {self.fingerprint} 签署。其中的密钥：{names}。",
            )

    def _found_signers(self) -> tuple[Signer, ...]:
        """Return the keys in the log, as far as it holds, and the one that signs the list.

        Only what certificates prove is taken from here; `_log` and `_manifest` check the rest.
        """
        events, _ = check(self.files[LOG].data.split(b"\n")[:-1])
        signers: tuple[Signer, ...] = ()
        for signed in events:
            signers = follow(signers, signed.event)
        if any(one.key == self.key for one in signers):
            return signers
        for certificate in self._certificates() if signers else ():
            key, by = PublicKey.from_text(certificate.key), PublicKey.from_text(certificate.follows)
            lost = not certificate_holds(certificate)
            signers = (*signers, Signer(key, len(events), by=by, lost=lost))
        if any(one.key == self.key for one in signers):
            return signers
        return (*signers, Signer(self.key, len(events)))

    def _certificates(self) -> tuple[KeyCertificate, ...]:
        """Return the certificates in the list, which is not checked yet."""
        try:
            return Manifest.model_validate(
                json.loads(self.files[MANIFEST].data)["manifest"]
            ).certificates
        except (ValueError, TypeError, KeyError):
            return ()

    def _manifest(self) -> None:
        try:
            row = parse_canonical(self.files[MANIFEST].data)
            if not isinstance(row, dict) or set(row) != {"manifest", "signature"}:
                raise NotCanonicalError("it has not the members manifest and signature")
            self.manifest = Manifest.model_validate(row["manifest"])
        except NotCanonicalError as error:
            raise _found(
                "manifest", MANIFEST, f"{MANIFEST}: {error}.", "清单无法读取或格式有变。"
            ) from None
        except ValidationError as error:
            first = error.errors()[0]
            raise _found(
                "manifest",
                MANIFEST,
                f"{MANIFEST}: {'.'.join(map(str, first['loc']))}: {first['msg']}.",
                "清单格式有误。",
            ) from None
        signature = row["signature"]
        signed = isinstance(signature, str) and self.key.signed(
            SIGNED + canonical(row["manifest"]), signature
        )
        if not signed or self.manifest.key != self.key.text:
            raise _found(
                "manifest",
                MANIFEST,
                f"The signature of {MANIFEST} is not valid for {KEY}.",
                "清单签名无效。",
            )

    def _files(self) -> None:
        for entry in self.manifest.files:
            found = self.files.get(entry.path)
            if found is None:
                raise _found(
                    "files", entry.path, f"{entry.path} is missing.", f"缺少 {entry.path}。"
                )
            if len(found.data) != entry.bytes or digest(found.data) != entry.sha256:
                raise _found(
                    "files",
                    entry.path,
                    f"{entry.path} is not the file that was signed.",
                    f"{entry.path} 已被改动。",
                )
        listed = {MANIFEST, *(entry.path for entry in self.manifest.files)}
        extra = next((name for name in self.files if name not in listed), None)
        if extra is not None:
            raise _found("files", extra, f"{extra} is not in the list.", f"{extra} 不在清单中。")
        if [entry.name for entry in self.entries] != [
            MANIFEST,
            *(entry.path for entry in self.manifest.files),
        ]:
            raise _found(
                "files",
                "order",
                "The files are in another order than in the list.",
                "文件次序与清单不符。",
            )

    def _log(self) -> None:
        text = self.files[LOG].data
        lines = text.split(b"\n")
        if lines[-1] or len(lines) < 2:
            raise _found("log", LOG, f"{LOG} does not end with a whole event.", "记录末尾不完整。")
        self.events, fault = check(lines[:-1], {one.fingerprint for one in self.known})
        if fault is not None:
            raise _FaultFoundError(
                Fault(f"log.{fault.code}", fault.where, fault.message, fault.message_zh)
            )

    def _head(self) -> None:
        last = self.events[-1]
        case = self.manifest.case
        if (len(self.events), last.hash, last.event.case) != (
            self.manifest.events,
            self.manifest.head,
            case,
        ):
            raise _found(
                "head",
                LOG,
                "The log does not end with the event that the list names.",
                "记录末条与清单不符。",
            )
        if self.head is not None and not any(
            event.hash.startswith(self.head.lower()) for event in self.events
        ):
            raise _found(
                "head",
                LOG,
                f"No event has the printed hash {self.head}: the log was cut or is another.",
                "没有所印哈希的记录。",
            )

    def _rules(self) -> None:
        try:
            self.case = fold(self.events)
        except LogError as error:
            raise _FaultFoundError(
                Fault("rules", error.fault.where, error.fault.message, error.fault.message_zh)
            ) from None

    def _photos(self) -> None:
        assert self.case is not None
        paths = {file.sha256: file.path for file in photo_files(Log(self.events, self.case))}
        for photo in self.case.photos:
            record = photo.record
            path = paths[record.sha256]
            found = self.files.get(path)
            if (
                found is None
                or digest(found.data) != record.sha256
                or len(found.data) != record.bytes
            ):
                raise _found(
                    "photos",
                    path,
                    f"{path} is missing or not the photo that was recorded.",
                    f"{path} 缺失或不是原照片。",
                )
            try:
                again = photo_record(found.data, record.name)
            except PhotoError as error:
                raise _found(
                    "photos", path, f"{path} cannot be decoded: {error}.", f"{path} 无法解码。"
                ) from None
            if again != record:
                raise _found(
                    "photos",
                    path,
                    f"{path}: EXIF time, camera or size are not those recorded.",
                    f"{path} 的信息与记录不符。",
                )
            read_it = photo.read
            if read_it is not None and read_it.reading.photo.sha256 != record.sha256:
                raise _found(
                    "photos",
                    path,
                    f"{path}: the reading is of another photo.",
                    f"{path} 的识别结果属于另一照片。",
                )

    def _scores(self) -> None:
        assert self.case is not None
        self.same_program = self.case.opening.program.scoring_sha256 == program().scoring_sha256
        try:
            rules = rules_of(self.case.opening.rules)
        except RulesGoneError as error:
            raise _found(
                "scores",
                "event 0",
                f"The rules of the case cannot be used here: {error}.",
                "本程序没有此规则。",
            ) from None
        for signed in self.events:
            for record in _results(signed.event.body):
                wrong = difference(rules, record, explained=self.same_program)
                where = f"event {signed.event.seq}"
                if wrong:
                    by = (
                        ""
                        if self.same_program
                        else " (it was scored by another version of the rules' code)"
                    )
                    raise _found(
                        "scores",
                        where,
                        f"{where}: {record.notation} scores otherwise: {wrong}{by}.",
                        f"第 {signed.event.seq} 条得分不符。",
                    )
                self.scores += 1

    def _bytes(self) -> None:
        at = same(self.data, self.entries)
        if at is not None:
            raise _found(
                "bytes",
                f"byte {at}",
                f"The archive itself was changed at byte {at}; what it holds is as signed.",
                f"压缩包第 {at} 字节有变。",
            )


def _results(body: object) -> tuple[ResultRecord, ...]:
    match body:
        case Scored(result=result):
            return (result,)
        case CorrectionProposed(before=before, after=after):
            return (after,) if before is None else (before, after)
        case CorrectionDecided(before=before, after=decided):
            return tuple(one for one in (before, decided) if one is not None)
    return ()


def _found(step: str, where: str, message: str, message_zh: str) -> _FaultFoundError:
    return _FaultFoundError(Fault(step, where, message, message_zh))
