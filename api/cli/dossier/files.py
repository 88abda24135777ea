"""``hupai dossier``: cases as files; the report, and the check of an exported bundle."""

from __future__ import annotations

from os import SEEK_END
from pathlib import Path
from typing import Annotated, Literal

import typer

from hupai.api.cli.dossier.cases import ZoneOption, find, opened_cases, refused
from hupai.api.cli.opening import load_settings
from hupai.api.cli.options import JsonOption
from hupai.api.cli.terminal import ExitCode, fail, finish, note, os_reason, print_json, tell
from hupai.api.cli.typer_app import App, said
from hupai.api.dossier.bundle import strict_zip
from hupai.api.dossier.bundle.verify import STEPS, Verification
from hupai.api.dossier.bundle.verify import verify as verify_bundle
from hupai.api.dossier.chain.canonical import digest
from hupai.api.dossier.report.build import report as print_case
from hupai.api.dossier.service import known_zone

Language = Literal["both", "en", "zh"]
BundleArgument = Annotated[
    Path, typer.Argument(metavar="FILE", readable=False, help="An exported bundle.")
]
KeyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--key",
        metavar="FINGERPRINT",
        help="Who must have signed: at least 32 digits, as the report prints them; may be "
        "repeated.",
    ),
]
HeadOption = Annotated[
    str | None,
    typer.Option(
        metavar="HASH",
        help="Hash of the last entry that a report prints, or its first 16 digits.",
    ),
]
AnyKeyOption = Annotated[
    bool, typer.Option("--any-key", help="Do not ask whose key signed a file.")
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Where to write it; - for standard output."
    ),
]


def report(
    case: Annotated[
        str,
        typer.Argument(
            metavar="CASE|FILE", help="Id of a case, or an exported bundle.", show_default=False
        ),
    ],
    output: OutOption = None,
    language: Annotated[Language, typer.Option("--language", "-l", help="Of the report.")] = "both",
    link: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Address of the service, for the QR code.",
            show_default="HUPAI_PUBLIC_URL",
        ),
    ] = "",
    zone: ZoneOption = "",
    key: KeyOption = None,
    head: HeadOption = None,
    any_key: AnyKeyOption = False,
) -> None:
    """Print a case as PDF, to be signed at the table.

    A bundle that fails the check is not printed, nor one whose signer is unknown; with --any-key
    the report says that nobody checked who signed.
    """
    if Path(case).is_file():
        result, data = _verified(Path(case), key, head)
        if result.holds and not (result.signer_named or any_key):
            fail(f"{case}: {_unknown_signer(result)}")
        with refused():
            known_zone(zone)
        data, name = _report_of_bundle(result, data, language, link, zone), Path(case).stem
    else:
        with opened_cases() as service:
            log = find(service, case)
            address = _link(link, log.case.id)
            data, name = service.report(log.case, address, language, zone), f"case-{log.case.id}"
    write_file(data, output or Path(f"{name}.pdf"))


def verify(
    file: BundleArgument,
    key: KeyOption = None,
    head: HeadOption = None,
    any_key: AnyKeyOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check an exported case without a network: hashes, signatures, order, photos, scores.

    Names the first thing that is wrong.
    """
    result, _ = _verified(file, key, head)
    _show_verification(result, as_json)
    if result.holds and not (result.signer_named or any_key):
        note(_unknown_signer(result))
    if result.holds and not result.same_program:
        note(
            "It was scored by another version of the rules' code. That does not matter here: "
            "every score was computed again with this version and is the same."
        )
    finish(not result.holds or not (result.signer_named or any_key))


def _check_digits(text: str, least: int) -> None:
    if not least <= len(text) <= 64 or set(text.lower()) - set("0123456789abcdef"):
        fail(f"{text!r} is not a hash: give {least} to 64 hexadecimal digits", ExitCode.BAD_USAGE)


def _show_verification(result: Verification, as_json: bool) -> None:
    fault, case = result.fault, result.case
    if as_json:
        wrong = fault and {
            "code": fault.code,
            "where": fault.where,
            "message": fault.message,
            "message_zh": fault.message_zh,
        }
        print_json(
            {
                "holds": result.holds,
                "passed": list(result.passed),
                "fault": wrong,
                "fingerprint": result.fingerprint,
                "signer_named": result.signer_named,
                "signers": [
                    {
                        "fingerprint": one.key.fingerprint,
                        "holder": one.holder,
                        "from_entry": one.first,
                        "follows": one.by.fingerprint if one.by else None,
                        "lost": one.lost,
                    }
                    for one in result.signers
                ],
                "case": case.id if case else None,
                "head": case.head if case else None,
                "scores": result.scores,
            }
        )
        return
    for step, words, words_zh in STEPS:
        if step in result.passed:
            tell(f"ok      {said(words, words_zh, ' · ')}")
    if fault is not None:
        tell(f"FAILED  {said(fault.message, fault.message_zh)}")
        return
    for one in result.signers:
        tell(
            f"        {f'key of {one.holder}' if one.holder else 'key'} {one.key.fingerprint}, "
            f"from entry {one.first}"
        )
    about = case.id if case else ""
    tell(
        f"valid{'' if result.signer_named else ', signer unknown'}: case {about}, "
        f"{result.scores} scores recomputed"
    )


def _unknown_signer(result: Verification) -> str:
    return (
        f"it is signed by {result.fingerprint}, but whose key that is was not checked: compare it "
        "with the printed report or the installation (hupai dossier key) and give it with --key, "
        "or give --any-key"
    )


def _verified(path: Path, keys: list[str] | None, head: str | None) -> tuple[Verification, bytes]:
    """Verify a file against the keys and the hash that are given; return its bytes too."""
    for one in keys or ():
        _check_digits(one, 32)
    if head is not None:
        _check_digits(head, 16)
    data = read_file(path, strict_zip.MOST_BYTES, strict_zip.BEGINS)
    return verify_bundle(data, keys or (), head), data


def _report_of_bundle(
    result: Verification, data: bytes, language: Language, link: str, zone: str
) -> bytes:
    if result.fault is not None or result.case is None:
        fail(f"the file is not valid: {result.fault.message if result.fault else ''}")
    photos = {
        digest(entry.data): entry.data
        for entry in strict_zip.read(data)
        if entry.name.startswith("photos/")
    }
    return print_case(
        result.case,
        photos,
        _link(link, result.case.id),
        language,
        zone,
        signer_known=result.signer_named,
    )


def _link(link: str, case: str) -> str:
    base = link or load_settings().public_url
    return f"{base.rstrip('/')}/cases/{case}" if base else ""


def read_file(path: Path, most: int, begins: bytes = b"") -> bytes:
    """Read a file of at most `most` bytes that begins as it should; any other is refused before it
    is read.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, SEEK_END)
            file.seek(0)
            first = file.read(len(begins))
            if first != begins:
                fail(
                    f"{path}: this is not an exported case (a zip archive of hupai dossier export)"
                )
            if size > most:
                fail(f"{path}: {size:,} bytes, more than the {most:,} that are allowed")
            return first + file.read(most)
    except OSError as error:
        fail(f"{path}: {os_reason(error)}")
    except MemoryError:
        fail(f"{path}: too large for the memory of this machine")


def write_file(data: bytes, output: Path) -> None:
    """Write a file and print its name; ``-`` is standard output."""
    if str(output) == "-":
        typer.get_binary_stream("stdout").write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        fail(f"cannot write {output}: {os_reason(error)}")
    typer.echo(str(output))


def add_to(app: App) -> None:
    """Add the commands to those of ``hupai dossier``."""
    app.add(
        "report",
        "hupai dossier report 0192f3a0",
        "hupai dossier report case.zip --key 5915541815c8298acbbbfc3ed2b99a13 --language en",
    )(report)
    app.add(
        "verify",
        "hupai dossier verify case.zip --key 5915541815c8298acbbbfc3ed2b99a13",
        exits="0 valid and signed by a given key, 1 not valid, or no --key says who signed, 2 bad "
        "usage",
    )(verify)
