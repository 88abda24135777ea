"""``hupai dossier``: from photos to a verified file, and its exit codes."""

from __future__ import annotations

import getpass
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from hupai.api.dossier.bundle.strict_zip import read as read_archive
from hupai.api.dossier.chain.canonical import digest
from hupai.scoring.hand import Hand
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import PhotoReading
from tests.api.dossier.cases import bundle, key, other_photo, photo, read, ruled
from tests.api.dossier.commands import done, hupai, opened
from tests.api.dossier.report.test_report import text_of
from tests.api.service import recorded_reading

HAND = "23m55pEEE [567m,1] (9999s) 1h +1m"

pytestmark = pytest.mark.usefixtures("installation")


def test_from_a_photo_to_a_verified_file(hand: Path, tmp_path: Path) -> None:
    case = opened(hand)
    done("claim", case, "--by", "Anna", "--total", "12", "--fan", "双暗刻")
    done("correct", case[-12:], HAND.replace("1h", "2h"), "--reason", "summer")
    done("decide", case, "5", "--accept", "--reason", "seen")
    done("note", case, "West saw it.")
    done("rule", case, "win", "--reason", "as computed", "--clause", "MCR 1998")
    done("close", case, "--reason", "signed")
    shown = done("show", case)
    assert "correction decided" in shown
    assert shown.endswith("closed; 23m55pEEE [567m,1] (9999s) 2h +1m: 11 fan")
    file = tmp_path / "case.zip"
    done("export", case, "-o", file)
    head = json.loads(done("verify", file, "--any-key", "--json"))["head"]
    fingerprint = done("key")
    said = done("verify", file, "--key", fingerprint[:32], "--head", head[:16])
    assert said.count("ok ") == 10
    assert case in said
    report = tmp_path / "case.pdf"
    done("report", case, "-o", report, "--link", "https://club.example")
    again = tmp_path / "again.pdf"
    done("report", file, "-o", again, "--link", "https://club.example", "--key", fingerprint)
    assert report.read_bytes() == again.read_bytes()
    assert report.read_bytes().startswith(b"%PDF-")


def test_show_prints_every_entry_with_the_number_that_decisions_take(hand: Path) -> None:
    case = opened(hand)
    done("claim", case, "--by", "Anna", "--total", "12", "--fan", "双暗刻")
    done("object", case, "双暗刻", "--by", "Ben", "--entry", "4", "--reason", "it was claimed")
    result = hupai("correct", case, HAND.replace("1h", "2h"), "--reason", "summer")
    assert "entry 6: correction proposed" in result.stderr
    said = done("show", case)
    for line in (
        "   4  claimed — Li (local)",
        "Anna claims 12 fan (双暗刻)",
        "Ben objects to entry 4: 双暗刻",
        "because: it was claimed",
        "   6  correction proposed",
        "flowers: 1h → 2h",
        "because: summer",
        "undecided corrections: 6",
        "undecided objections: 5",
    ):
        assert line in said.replace(getpass.getuser(), "Li"), line
    answer = json.loads(done("show", case, "--json"))
    assert [one["number"] for one in answer["corrections"]] == [6]
    assert answer["objections"][0]["objection"]["reason"] == "it was claimed"
    assert answer["undecided"] == [5, 6]


def test_ruling_and_closing_are_refused_while_something_is_undecided(hand: Path) -> None:
    case = opened(hand)
    done("correct", case, HAND.replace("1h", "2h"), "--reason", "summer")
    for words in (["rule", case, "win"], ["close", case]):
        result = hupai(*words, "--reason", "x")
        assert result.exit_code == 1
        assert "Entries 4 are not decided" in result.stderr.replace("\n", " ")
    done("rule", case, "win", "--reason", "x", "--leave-open")
    assert "left open: 4" in done("show", case)
    done("decide", case, "4", "--reject")
    done("object", case, "total", "--by", "Ben", "--reason", "too much")
    assert hupai("close", case, "--reason", "x").exit_code == 1
    done("rule", case, "win", "--reason", "heard Ben")
    done("close", case, "--reason", "signed")


def test_a_case_and_the_statistics_are_printed_in_chinese(hand: Path) -> None:
    case = opened(hand)
    done("place", case, "--session", "2", "--table", "3", "--player", "E=Anna#12")
    done("claim", case, "--by", "Anna", "--total", "24")
    done("object", case, "清龙", "--by", "Ben", "--entry", "1", "--reason", "no dragon")
    done("rule", case, "void", "--reason", "unclear", "--leave-open")
    said = done("show", case, "--language", "zh")
    for line in (
        "轮次 2, 桌号 3",
        "东: Anna 12",
        "Anna 申报 24 番",
        "Ben 提出异议（第1条）: 清龙",
        "裁定：本盘作废",
        "已裁",
    ):
        assert line in said
    left = re.sub(r"Anna|Ben|SHA-256|no dragon|unclear|hand\.jpg|local|mcr-1998|UTC", "", said)
    assert not re.search(r"[A-Za-z]{4,} [a-z]{3,}", left), left
    figures = done("statistics", "--language", "zh")
    assert "1个案卷：0个未结，1个已裁定，0个已结" in figures
    assert "按桌号：3 1" in figures


@pytest.mark.nightly
def test_the_cases_of_a_tournament_together(
    hand: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruled_on, waits, elsewhere = (
        opened(hand, "--session", session, "--table", table)
        for session, table in (("1", "1"), ("1", "2"), ("2", "1"))
    )
    done("rule", ruled_on, "win", "--reason", "seen", "--as", "Zhao")
    found = [json.loads(line) for line in done("list", "--session", "1", "--json").splitlines()]
    assert [one["case"] for one in found] == [waits, ruled_on]
    for columns in ("40", "80", "110", "160"):
        monkeypatch.setenv("COLUMNS", columns)
        assert elsewhere in done("list").split()
    answer = json.loads(done("statistics", "--json"))
    assert (answer["cases"], answer["waiting"], answer["wins"]) == (3, 2, 1)
    said = done("statistics", "--session", "1")
    assert "2 cases: 1 open, 1 ruled, 0 closed" in said
    assert "by referee: Zhao (local) 1" in said
    done("export-all", tmp_path / "out", "--session", "1")
    files = sorted((tmp_path / "out").glob("*.zip"))
    assert len(files) == 2
    for file in files:
        done("verify", file, "--key", done("key"))


def test_a_case_whose_photo_is_gone_does_not_keep_the_others_from_being_exported(
    hand: Path, tmp_path: Path
) -> None:
    side, out = tmp_path / "side.jpg", tmp_path / "out"
    side.write_bytes(other_photo())
    whole, lacking = opened(hand), opened(side, "--title", "Table 3")
    next(tmp_path.rglob(f"*{digest(other_photo())}*")).unlink()
    result = hupai("export-all", out)
    assert result.exit_code == 1
    assert result.stdout.split() == [str(out / f"{whole}.zip")]
    assert (
        f"case {lacking} (Table 3) was not exported: A photo of the case is gone" in result.stderr
    )
    done("verify", out / f"{whole}.zip", "--any-key")
    found = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert found["cases"] == [{"case": whole, "file": f"{whole}.zip"}]
    assert [(one["case"], one["title"]) for one in found["missing"]] == [(lacking, "Table 3")]
    assert "照片" in found["missing"][0]["message_zh"]
    chinese = hupai("export-all", out, "--language", "zh").stderr
    assert f"案卷{lacking}（Table 3）未能导出：案卷的照片已不在存储中。" in chinese


def test_the_place_of_play_is_on_the_report(hand: Path, tmp_path: Path) -> None:
    case = opened(hand, "--tournament", "Open", "--table", "3", "--zone", "Asia/Shanghai")
    done("place", case, "--round", "East 4", "--player", "E=Anna#12", "--player", "S=Ben")
    report = tmp_path / "case.pdf"
    done("report", case, "-o", report, "-l", "en")
    text = text_of(report.read_bytes())
    assert "Tournament Open · Table 3 · Round East 4" in text
    assert "Anna (no. 12)" in text
    assert "+08:00" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["claim", "CASE", "--by", "", "--total", "5"], "--by"),
        (["claim", "CASE", "--by", "Li", "--total", "999999999999"], "--total"),
        (["note", "CASE", " "], "--text"),
        (["place", "CASE", "--player", "Anna"], "SEAT=NAME"),
        (["place", "CASE", "--player", "X=Anna"], "--players"),
        (["rule", "CASE", "win", "--reason", "x" * 4001], "--reason"),
    ],
)
def test_invalid_values_of_an_action_are_reported_in_one_line(words: list[str], said: str) -> None:
    result = hupai(*words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


def test_a_changed_file_is_named_and_not_printed(tmp_path: Path) -> None:
    data = bytearray(bundle())
    entry = read_archive(bundle())[4]
    data[bundle().index(entry.data) + 100] ^= 1
    file = tmp_path / "changed.zip"
    file.write_bytes(data)
    result = hupai("verify", file)
    assert result.exit_code == 1
    assert f"FAILED  {entry.name}" in result.stdout
    answer = json.loads(hupai("verify", file, "--json").stdout)
    assert (answer["holds"], answer["fault"]["code"], answer["fault"]["where"]) == (
        False,
        "files",
        entry.name,
    )
    assert hupai("report", file, "-o", tmp_path / "x.pdf").exit_code == 1
    assert not (tmp_path / "x.pdf").exists()


def test_verifying_needs_no_installation(tmp_path: Path) -> None:
    file = tmp_path / "case.zip"
    file.write_bytes(bundle())
    assert "9 scores recomputed" in done(
        "verify", file, "--key", key().public.fingerprint, "--head", ruled().case.head
    )
    assert hupai("verify", file, "--key", "0" * 64).exit_code == 1
    assert hupai("verify", file, "--head", "0" * 16).exit_code == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["verify", "FILE", "--key", "abc"],
        ["verify", "FILE", "--head", "xyz"],
        ["show", "12"],
        ["correct", "12", "--reason", "x"],
    ],
)
def test_bad_usage(words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "case.zip"
    file.write_bytes(bundle())
    assert hupai(*[str(file) if word == "FILE" else word for word in words]).exit_code == 2


def test_a_missing_bundle_is_reported_on_standard_error() -> None:
    result = hupai("verify", "none.zip")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "none.zip: No such file" in result.stderr


def test_another_version_of_the_rules_is_reported_with_an_explanation(root: Path) -> None:
    result = hupai("verify", root / "docs" / "example-case.zip", "--any-key")
    assert result.exit_code == 0
    assert "That does not matter here" in result.stderr.replace("\n", " ")


@pytest.mark.nightly
def test_the_numbers_of_entries_in_the_guide_are_those_of_its_case(
    hand: Path, tmp_path: Path, root: Path
) -> None:
    side = tmp_path / "side.jpg"
    side.write_bytes(other_photo())
    case = opened(hand, side)
    guide = (root / "docs" / "referee-guide.md").read_text(encoding="utf-8")
    block = guide.partition("```sh\n")[2].partition("```")[0]
    for line in block.splitlines()[1:]:
        done(*shlex.split(line.replace("CASE", case).replace("HAND", f"'{HAND[:-6]}2h +1m'"))[2:])
    entries = json.loads(done("show", case, "--json"))["events"]
    assert entries[-1]["kind"] == "closed"


def test_actions_that_a_case_does_not_allow_are_reported(hand: Path) -> None:
    case = opened(hand)
    elsewhere = hupai("correct", case, "--win", "7p", "--reason", "x")
    assert elsewhere.exit_code != 0
    assert "has no 7p" in elsewhere.stderr
    assert "concealed tiles" in elsewhere.stderr
    same = hupai("correct", case, HAND, "--reason", "x")
    assert same.exit_code == 1
    assert "changes nothing" in same.stderr
    assert hupai("decide", case, "3", "--accept").exit_code == 1
    assert (
        "no fine"
        in hupai("rule", case, "false_win", "--reason", "x", "--fine", "kc-2.5/none").stderr
    )
    assert hupai("rule", case, "false_win", "--reason", "x", "--fine", "kc-2.5").exit_code == 2
    for entry, wrong in (("99", "No entry 99"), ("0", "Entry 0 records nothing to object to")):
        objected = hupai("object", case, "总分", "--by", "Ben", "--entry", entry, "--reason", "x")
        assert objected.exit_code == 1
        assert f"{wrong}: choose among 1, 2, 3" in objected.stderr
    assert hupai("open", hand, hand, "--rules", "mcr-1998").exit_code == 1
    assert len(done("list", "--json").splitlines()) == 1


def test_false_win_help_names_what_was_missing_and_the_fines(hand: Path) -> None:
    case = done("open", hand, "--rules", "sichuan-2024")
    said = done("false-win", case)
    assert said.startswith("sichuan-2024: no win")
    name, fine = "win while holding the void suit", "24 points (T/TFMJ 01-2024, 11.2.10.3)"
    assert f"  * sichuan-2024/pig_win 未打缺和牌 {name}: {fine}" in said
    assert "hupai dossier rule CASE false_win --fine RULES/OFFENCE" in said
    assert f"pig_win {name}: {fine}" in done("false-win", case, "--language", "en")
    chinese = done("false-win", case, "--language", "zh")
    assert "pig_win 未打缺和牌：24分" in chinese
    assert "由裁判判定（赛事规程）" in chinese
    rules = json.loads(done("false-win", case, "--json"))["rules"]
    assert next(one for one in rules if one["rules"] == "kc-2.5")["wins"] is False


@pytest.mark.parametrize(
    ("held", "away", "zh"),
    [
        ("123456789m1p2sEE+C", "1 tile from being ready", "差1张听牌"),
        ("123456m147pEEEC+F", "2 tiles from being ready", "差2张听牌"),
    ],
)
def test_false_win_help_counts_the_tiles_to_being_ready(
    hand: Path, held: str, away: str, zh: str
) -> None:
    case = opened(hand)
    done("correct", case, held, "--reason", "as it lay")
    done("decide", case, "4", "--accept", "--reason", "seen")
    assert done("false-win", case).splitlines()[2].strip() == away
    assert done("false-win", case, "--language", "zh").splitlines()[2].strip() == zh


def test_a_case_that_is_opened_unsure_says_of_which_photo(
    hand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsure(self: Recogniser, data: bytes, name: str = "", rules: object = None) -> PhotoReading:
        found = read(data, name)
        return replace(found, reading=replace(found.reading, certain=False))

    monkeypatch.setattr(Recogniser, "read_photo", unsure)
    result = hupai("open", hand, "--rules", "mcr-1998", "--self-drawn", "--seat", "E")
    assert result.exit_code == 1
    assert "hand.jpg was not read with certainty" in result.stderr


def test_house_rules_are_recorded_in_the_log(hand: Path, tmp_path: Path) -> None:
    rules = tmp_path / "club.toml"
    rules.write_text(
        'id = "club"\nbase = "mcr-1998"\nname_en = "Club"\nname_zh = "俱乐部"\nminimum = 20\n',
        encoding="utf-8",
    )
    case = done("open", hand, "--rules", rules, "--self-drawn")
    file = tmp_path / "case.zip"
    done("export", case, "-o", file)
    rules.unlink()
    assert "1 scores recomputed" in done("verify", file, "--any-key")


def test_an_unread_hand_and_an_unknown_winning_tile_end_with_one(
    hand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = read(photo())
    unknown = recorded_reading(winning_known=False)
    for reading, words in ((Hand, "propose one"), (unknown, "--win")):
        given = PhotoReading(
            plain.photo,
            plain.model,
            unknown if reading is unknown else type(unknown)(),
            plain.timing,
        )
        monkeypatch.setattr(
            Recogniser, "read_photo", lambda self, data, name="", rules=None, given=given: given
        )
        result = hupai("open", hand, "--rules", "mcr-1998")
        assert result.exit_code == 1
        assert words in result.stderr
    case = result.stdout.strip()
    done("correct", case, "--win", "1m", "--reason", "it lay apart")
    done("decide", case, "4", "--accept")
    assert done("show", case).endswith("fan")
