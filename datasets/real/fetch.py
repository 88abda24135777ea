"""Fetches a public source, checks it and converts it.

    python -m hupai.datasets.real.fetch list
    python -m hupai.datasets.real.fetch get NAME OUT [--archive FILE.zip]
    python -m hupai.datasets.real.fetch convert FORM SOURCE OUT [--annotations FILE] \\
        [--classes FILE] [--map FILE.json]

FORM is yolo, coco, voc, folders or table, see `hupai.datasets.real.convert`. Only `get` without
--archive (a manually downloaded file) uses the network.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tempfile
import tomllib
import urllib.request
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from hupai.datasets.real import convert
from hupai.datasets.real.labels import LabelError
from hupai.scoring.errors import HupaiError

FILE = Path(__file__).with_name("sources.toml")
"""The descriptions of the sources."""

PICTURES = (".jpg", ".jpeg", ".png")
"""Names of the files whose digest is recorded."""

LARGEST = 4 << 30
"""Maximum size of an unpacked archive, bytes."""


class FetchError(HupaiError):
    """A source that cannot be fetched, or differs from its description; the message says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """A public source, as sources.toml describes it.

    Attributes:
        name: its table there.
        title, page, licence, version, used_for, note: for people; `version` is a commit if there is
            one.
        archive: address of the ZIP file; empty if it is downloaded by hand.
        form: form of the labels: yolo, table or folders; art if there are none to convert.
        table, pictures: where labels and pictures lie, for `form` table and folders.
        folders: each folder and the digest of its pictures, which is empty if none is recorded.
    """

    name: str
    title: str
    page: str
    licence: str
    version: str
    used_for: str
    form: str
    folders: tuple[tuple[str, str], ...]
    archive: str = ""
    table: str = ""
    pictures: str = ""
    note: str = ""


def sources(file: Path = FILE) -> tuple[Source, ...]:
    """Read all sources."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))
    return tuple(
        Source(name=name, **{**table, "folders": tuple(table["folders"].items())})
        for name, table in tables.items()
    )


def digest(folder: Path) -> str:
    """Return the SHA-256 over names and SHA-256s of the pictures in a folder, sorted by name."""
    rows = sorted(
        f"{path.relative_to(folder).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n"
        for path in folder.rglob("*")
        if path.suffix.lower() in PICTURES
    )
    return hashlib.sha256("".join(rows).encode()).hexdigest()


def get(source: Source, out: Path, archive: Path | None = None) -> list[str]:
    """Unpack a source into OUT/raw, check its pictures, and convert what has labels into OUT.

    Returns:
        A line about each checked folder and each conversion.

    Raises:
        FetchError: there is no archive, it has paths outside its folder, or the pictures are not
            those recorded.
        LabelError: labels cannot be read.
    """
    raw = out / "raw"
    if archive is None:
        _download(source, raw)
    else:
        unpack(archive, raw)
    lines = [_checked(raw, *folder) for folder in source.folders]
    if source.form == "table":
        done = convert.from_table(raw / source.table, raw / source.pictures, out)
        lines.append(_summary(done))
    elif source.form == "folders":
        lines.append(_summary(convert.from_class_folders(raw / source.pictures, out)))
    elif source.form == "yolo":
        names = _names(raw)
        for folder, _ in source.folders:
            if (raw / folder / "images").is_dir():
                done = convert.from_yolo(raw / folder, names, out / folder)
                lines.append(f"{folder}: {_summary(done)}")
    return lines


def _download(source: Source, raw: Path) -> None:
    if not source.archive:
        raise FetchError(
            f"{source.name} is downloaded by hand from {source.page}; then give --archive FILE.zip"
        )
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "source.zip"
        answer = urllib.request.urlopen(source.archive, timeout=60)
        with answer, archive.open("wb") as file:
            shutil.copyfileobj(answer, file)
        unpack(archive, raw)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a ZIP file; a single folder at its top does not become part of the paths.

    Raises:
        FetchError: it is not a ZIP file, is too large, or has a path that leads out of the folder.
    """
    try:
        with zipfile.ZipFile(archive) as file:
            members = [one for one in file.infolist() if not one.is_dir()]
            if sum(one.file_size for one in members) > LARGEST:
                raise FetchError(f"{archive.name} unpacks to more than {LARGEST >> 30} GiB")
            paths = [PurePosixPath(one.filename) for one in members]
            if any(path.is_absolute() or ".." in path.parts or "\\" in str(path) for path in paths):
                raise FetchError(f"{archive.name} has paths that lead out of it")
            tops = {path.parts[0] for path in paths}
            skip = 1 if len(tops) == 1 and all(len(path.parts) > 1 for path in paths) else 0
            for member, path in zip(members, paths, strict=True):
                target = folder.joinpath(*path.parts[skip:])
                target.parent.mkdir(parents=True, exist_ok=True)
                with file.open(member) as data, target.open("wb") as written:
                    shutil.copyfileobj(data, written)
    except zipfile.BadZipFile:
        raise FetchError(f"{archive.name} is not a ZIP file") from None


def _checked(raw: Path, folder: str, wanted: str) -> str:
    found = digest(raw / folder)
    if wanted and found != wanted:
        raise FetchError(
            f"{folder} does not hold the pictures recorded: digest {found}, recorded {wanted}"
        )
    return f"{folder}: {'as recorded' if wanted else 'not recorded yet'}, digest {found}"


def _names(raw: Path) -> list[str]:
    """Read the class names of a YOLO export: classes.txt, one name per line, or else `names` in
    data.yaml, a list on one line.

    Raises:
        FetchError: if there is neither.
    """
    listed = raw / "classes.txt"
    if listed.is_file():
        return [name for line in listed.read_text("utf-8").splitlines() if (name := line.strip())]
    described = raw / "data.yaml"
    if described.is_file():
        for line in described.read_text("utf-8").splitlines():
            if line.startswith("names:") and "[" in line and "]" in line:
                return [
                    name.strip().strip("'\"")
                    for name in line[line.index("[") + 1 : line.rindex("]")].split(",")
                ]
    raise FetchError(
        "the export names its classes neither in data.yaml (names: [...] on one line) nor in "
        "classes.txt"
    )


def _summary(done: convert.Converted) -> str:
    return f"{done.photos} photos, {done.labels} labels, {done.skipped} skipped"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``python -m hupai.datasets.real.fetch``."""
    known = {source.name: source for source in sources()}
    parser = argparse.ArgumentParser(
        prog="python -m hupai.datasets.real.fetch",
        description="Fetch, check and convert public pictures.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    getting = commands.add_parser("get")
    getting.add_argument("name", choices=known)
    getting.add_argument("out", type=Path)
    getting.add_argument("--archive", type=Path)
    converting = commands.add_parser("convert")
    add = converting.add_argument
    add("form", choices=["yolo", "coco", "voc", "folders", "table"])
    add("source", type=Path, help="the folder (yolo, folders) or the folder of pictures")
    add("out", type=Path)
    add("--annotations", type=Path, help="COCO file, VOC folder or CSV table")
    add("--classes", type=Path, help="class names of a YOLO folder, one a line")
    add("--map", type=Path, help="JSON object: class name to tile code, empty to leave out")
    options = parser.parse_args(arguments)
    try:
        if options.command == "list":
            lines = [
                f"{one.name}: {one.title}, {one.page}, {one.licence}, {one.version}; {one.used_for}"
                for one in known.values()
            ]
        elif options.command == "get":
            lines = get(known[options.name], options.out, options.archive)
        else:
            lines = [_summary(_convert(options))]
    except (FetchError, LabelError, OSError, ValueError) as error:
        parser.error(str(error))
    print("\n".join(lines))
    return 0


def _convert(options: argparse.Namespace) -> convert.Converted:
    own = None if options.map is None else json.loads(options.map.read_text("utf-8"))
    if options.form == "folders":
        return convert.from_class_folders(options.source, options.out, own)
    if options.form == "yolo":
        if options.classes is None:
            raise FetchError("--classes is needed")
        return convert.from_yolo(
            options.source, options.classes.read_text("utf-8").splitlines(), options.out, own
        )
    if options.annotations is None:
        raise FetchError("--annotations is needed")
    reader = {"coco": convert.from_coco, "voc": convert.from_voc, "table": convert.from_table}[
        options.form
    ]
    return reader(options.annotations, options.source, options.out, own)


if __name__ == "__main__":
    raise SystemExit(main())
