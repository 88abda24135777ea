"""The report: what stands in it, in both languages, and that it can be read, scanned and signed."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pytest
from numpy.typing import NDArray

from hupai.api.dossier import commands
from hupai.api.dossier.case import Case
from hupai.api.dossier.chain import log
from hupai.api.dossier.chain.events import Body, Noted, PlayedAt, Ruled
from hupai.api.dossier.report.build import report
from hupai.api.dossier.report.pdf import WIDTH, Paper, printable
from hupai.api.dossier.report.wording import WORDS, Language, Words
from hupai.scoring.compare import WinStatus
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Principle
from hupai.scoring.rule_sets import get
from hupai.scoring.tiles import ZH_NAMES
from tests.api.dossier.cases import (
    AT_TABLE,
    BEGIN,
    CASE,
    PLAYER,
    REFEREE,
    WON,
    key,
    opened,
    photos,
    ruled,
)
from tests.api.service import picture
from tests.qr_codes import qr_codes_of

LINK = "https://club.example/cases/" + CASE
WIDE = re.compile(r"[\u4e00-\u9fff]")


@cache
def made(language: Language) -> bytes:
    return report(ruled().case, photos(), LINK, language)


def text_of(data: bytes) -> str:
    """All text of a document, without line breaks."""
    return re.sub(r"\s+", " ", " ".join(pages_of(data)))


def pages_of(data: bytes) -> list[str]:
    """The text of each page."""
    document = pdfium.PdfDocument(data)
    try:
        return [
            document[number].get_textpage().get_text_bounded() for number in range(len(document))
        ]
    finally:
        document.close()


def page_of(data: bytes, number: int, dots: int = 150) -> NDArray[np.uint8]:
    """A page as pixels, grey."""
    document = pdfium.PdfDocument(data)
    try:
        return np.asarray(
            document[number].render(scale=dots / 72, grayscale=True).to_numpy()
        ).squeeze()
    finally:
        document.close()


@pytest.mark.nightly
def test_a_narrow_photo_accepted_earlier_is_still_in_the_report() -> None:
    case = opened().case
    (record,) = [one.record for one in case.photos]
    strip = picture(3000, 40, form="PNG")
    without = report(case, {}, LINK, "en")
    assert len(report(case, {record.sha256: strip}, LINK, "en")) > len(without)


def test_the_report_contains_everything_in_the_case() -> None:
    text = text_of(made("both"))
    case = ruled().case
    assert case.standing is not None
    assert case.standing.score is not None
    for fan in case.standing.score.fans:
        assert fan.zh in text
        assert fan.en in text
        assert fan.clause in text
    for left_out in case.standing.score.excluded:
        assert left_out.zh in text
        assert WORDS[f"principle_{left_out.principle.value}"][1] in text
    squeezed = text.replace(" ", "")
    for needed in (
        case.id,
        case.head,
        key().public.fingerprint,
        *(photo.record.sha256 for photo in case.photos),
        case.opening.program.scoring_sha256,
        "花牌是夏，不是春",
        "itwasadiscard",
        "不求人、暗杠",
        "Anna",
        "headreferee",
        "2026-11-2020:01:02+01:00",
        "CanonEOSR5",
        "不够起和",
        "11.2.9.1",
        "Heardbothplayers.",
        "23m55pEEE[567m,1](9999s)2h+1m",
    ):
        assert needed in squeezed, needed


@pytest.mark.parametrize(
    ("language", "has", "has_not"), [("en", "What counts", "计番"), ("zh", "计番", "What counts")]
)
def test_one_language_may_be_left_out(language: Language, has: str, has_not: str) -> None:
    text = text_of(made(language))
    assert has in text
    assert has_not not in text


def test_the_english_report_has_chinese_only_where_people_wrote_it() -> None:
    """Names of fan in claims, reasons and the brand are Chinese; headings, explanations and clauses
    are not.
    """
    said = "".join(sorted(set(WIDE.findall(text_of(made("en"))))))
    english = Words("en")
    assert all(not WIDE.search(english(name)) for name in WORDS)
    assert "理" not in said


def test_there_is_room_to_sign_and_each_page_names_the_case() -> None:
    data = made("both")
    document = pdfium.PdfDocument(data)
    texts = [document[number].get_textpage().get_text_bounded() for number in range(len(document))]
    document.close()
    assert all(CASE in text and ruled().case.head in text for text in texts)
    signed = next(number for number, text in enumerate(texts) if "签名" in text)
    assert "和牌者" in texts[signed]
    assert "Referee" in texts[signed]


@pytest.mark.parametrize("dots", [100, 150, 300])
def test_the_code_leads_to_the_case_as_it_was_printed(dots: int) -> None:
    assert qr_codes_of(page_of(made("both"), 0, dots)) == [f"{LINK}#{ruled().case.head}"]


def test_the_photo_and_the_tiles_are_drawn() -> None:
    page = page_of(made("en"), 0, 60)
    dark = (page < 128).mean(axis=1)
    assert dark[len(page) // 5 : len(page) // 2].mean() > 0.3  # the photo is a dark green rectangle
    document = pdfium.PdfDocument(made("en"))
    pictures = sum(
        len(list(document[number].get_objects(filter=[pdfium.raw.FPDF_PAGEOBJ_IMAGE])))
        for number in range(len(document))
    )
    document.close()
    assert pictures >= 2 + 16 + 16  # photos, the hand, the hand as it was read


def test_the_same_case_gives_the_same_report() -> None:
    assert report(ruled().case, photos(), LINK, "zh") == made("zh")


@pytest.mark.nightly
def test_a_case_without_a_hand_and_a_photo_that_is_gone() -> None:
    bare = log.begin(CASE, [commands.opening("", get("kc-2.5"), WON)], PLAYER, key(), BEGIN)
    text = text_of(report(bare.case, {}))
    assert "未识别出有效手牌" in text
    assert "尚未裁定" in text
    assert opened().case.photos[0].record.sha256 in text_of(report(opened().case, {})).replace(
        " ", ""
    )


def disputed(*hands: str, place: PlayedAt | None = None, zone: str = "", title: str = "") -> Case:
    """A case without photos in which one hand after another is proposed and accepted."""
    rules = get("mcr-1998")
    bodies: list[Body] = [commands.opening(title, rules, WON, None, zone), place or PlayedAt()]
    case = log.begin(CASE, bodies, PLAYER, key(), BEGIN)
    for hand in hands:
        wanted = commands.proposal(case.case, parse_hand(hand), None, "it lay so")
        case = log.extend(case, [wanted], PLAYER, key(), BEGIN)
        number = case.events[-1].event.seq
        made = commands.decision(case.case, number, True, "seen")
        case = log.extend(case, [made], REFEREE, key(), BEGIN)
    return case.case


@pytest.mark.nightly
def test_a_correction_that_only_changes_melds_says_so_and_shows_both_hands() -> None:
    concealed, claimed = "123sEENNNPPP99s8h+9s", "123sEE[NNN,2]PPP99s8h+9s"
    data = report(disputed(concealed, claimed), {}, language="en")
    text = text_of(data)
    assert "N N N: concealed in the hand → claimed pung from across" in text
    assert "before: 123sEENNNPPP99s 8h +9s — 35 fan" in text
    assert "after: 123sEEPPP99s [NNN,2] 8h +9s — 18 fan" in text
    assert text.count("pung, from across") >= 2  # in the standing hand, and in the correction
    assert "北北北：手中暗牌 → 碰（对家）" in text_of(
        report(disputed(concealed, claimed), {}, language="zh")
    )


@pytest.mark.nightly
def test_a_correction_is_never_split_across_pages() -> None:
    """Whatever room is left, an entry stands on one page, from who proposed it to the decision."""
    concealed, claimed = "123sEENNNPPP99s8h+9s", "123sEE[NNN,2]PPP99s8h+9s"
    divided = 0
    for lines in range(0, 36, 3):
        case = disputed(*[concealed, claimed] * 2, title="\n".join("x" * lines))
        pages = pages_of(report(case, {}, language="en"))
        counts = [(page.count("proposed by"), page.count("accepted —")) for page in pages]
        assert all(proposed == decided for proposed, decided in counts), f"{lines} {counts}"
        divided += sum(proposed > 0 for proposed, _ in counts) > 1
    assert divided > 3, "pages did end within the section"


@pytest.mark.parametrize(
    ("rules", "hand", "low"),
    [
        ("mcr-1998", "234p678s11s23m[678m,1] +4m", True),
        pytest.param(
            "mcr-1998", "789s11s23m[111s,1][123m,1] +4m", False, marks=pytest.mark.nightly
        ),  # five of a kind, too
        pytest.param(
            "mcr-1998", "123m456p789s1122s +7p", False, marks=pytest.mark.nightly
        ),  # not complete
        ("sichuan-2024", "123m456p789s11s23m +4m", False),  # three suits
        pytest.param(
            "riichi-ema", "456p789s11s23m[123m,1] +4m", False, marks=pytest.mark.nightly
        ),  # no yaku
    ],
)
def test_the_minimum_is_named_only_where_it_is_the_reason(rules: str, hand: str, low: bool) -> None:
    bodies: list[Body] = [commands.opening("", get(rules), WON)]
    case = log.begin(CASE, bodies, PLAYER, key(), BEGIN)
    wanted = commands.proposal(case.case, parse_hand(hand), None, "it lay so")
    case = log.extend(case, [wanted], PLAYER, key(), BEGIN)
    made = commands.decision(case.case, case.events[-1].event.seq, True, "seen")
    case = log.extend(case, [made], REFEREE, key(), BEGIN)
    assert case.case.standing is not None
    assert case.case.standing.score is not None
    assert case.case.standing.score.legal is False
    text = text_of(report(case.case, {}, language="en"))
    assert ("(minimum" in text) is low


def test_every_principle_and_outcome_has_words() -> None:
    named = {f"principle_{one.value}" for one in Principle}
    named |= {f"verdict_{one.value}" for one in WinStatus}
    assert named <= set(WORDS)


@pytest.mark.nightly
def test_riichi_deposits_are_named_and_an_amount_without_a_sum_has_no_brackets() -> None:
    rules, won = get("riichi-ema"), WON.model_copy(update={"riichi": True, "riichi_sticks": 1})
    case = log.begin(CASE, [commands.opening("", rules, won)], PLAYER, key(), BEGIN)
    wanted = commands.proposal(case.case, parse_hand("456p789s11s23m123m +4m"), won, "it lay so")
    case = log.extend(case, [wanted], PLAYER, key(), BEGIN)
    made = commands.decision(case.case, case.events[-1].event.seq, True, "seen")
    case = log.extend(case, [made], REFEREE, key(), BEGIN)
    english, chinese = (text_of(report(case.case, {}, language=one)) for one in ("en", "zh"))
    assert "riichi deposits: 1000" in english
    assert "立直棒: 1000" in chinese
    assert "()" not in english


@pytest.mark.nightly
def test_what_counts_ends_with_its_sum() -> None:
    text = text_of(report(disputed("123sEE[NNN,2]PPP99s8h+9s"), {}, language="en"))
    assert "Sum 18 fan 6 + 4 + 2 + 2 + 1 × 2 + 1 + 1 = 18" in text


@pytest.mark.nightly
def test_times_are_those_of_the_table() -> None:
    case = disputed(zone="Asia/Shanghai")
    assert "2026-11-21 03:30 +08:00" in text_of(report(case, {}, language="en"))
    assert "2026-11-20 12:30 -07:00" in text_of(report(case, {}, language="en", zone="-07:00"))
    assert "2026-11-20 19:30 UTC" in text_of(report(disputed(), {}, language="en"))


@pytest.mark.nightly
def test_the_players_and_the_lines_they_sign_on() -> None:
    text = text_of(report(disputed(place=AT_TABLE), {}, language="en"))
    assert "Tournament Spring Open · Session 2 · Table 17 · Round East 4 · Hand 7" in text
    signed = text[text.index("Signatures") : text.index("Evidence")]
    for line in ("East: Winner", "name: Anna Müller (no. 12)", "name: Dmitri (no. 101)", "Referee"):
        assert line in signed
    assert "Discarder" not in signed  # it was self-drawn
    unnamed = text_of(report(disputed(), {}, language="en"))
    assert unnamed[unnamed.index("Signatures") :].count("Opponent") == 3


def test_undecided_corrections_are_listed_with_the_ruling() -> None:
    case = log.begin(CASE, [commands.opening("", get("mcr-1998"), WON)], PLAYER, key(), BEGIN)
    wanted = commands.proposal(case.case, parse_hand("123sEENNNPPP99s+9s"), None, "so")
    ruling = Ruled(outcome="void", total=None, unit="fan", reason="nobody knows")
    case = log.extend(case, [wanted, ruling], REFEREE, key(), BEGIN)
    assert "Not decided: corrections no. 1." in text_of(report(case.case, {}, language="en"))


def long_case(words: str, times: int) -> Case:
    return log.extend(
        opened(), [Noted(text=words) for _ in range(times)], PLAYER, key(), BEGIN
    ).case


@pytest.mark.nightly
def test_long_text_continues_on_the_next_page_without_loss() -> None:
    text = text_of(
        report(
            long_case("长话短说，裁判听取双方陈述。 A long remark about the hand. " * 8, 12),
            photos(),
            LINK,
            "zh",
        )
    )
    text = re.sub(r"\s", "", text)  # a line may end within a word, and a page
    text = re.sub(r"Hupai和牌·[0-9a-f-]{36}·[0-9a-f]{64}\d/\d", "", text)
    assert text.count("陈述。") == 96
    assert text.count("remark") == 96


@pytest.mark.nightly
def test_characters_without_a_glyph_are_shown_by_number() -> None:
    assert printable("和牌 ok\tx\u2067𪜀🀄") == "和牌 ok x[U+2067][U+2A700][U+1F004]"
    assert "[U+2A700]" in text_of(report(long_case("𪜀", 1), {}))


def test_every_word_of_the_program_can_be_printed(root: Path) -> None:
    sources = [
        path
        for room in ("scoring", "api", "vision")
        for path in (root / room).rglob("*.py")
        if "dossier" not in path.parts
    ]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    text += "".join(ZH_NAMES) + "".join(word for pair in WORDS.values() for word in pair)
    missing = {char for char in text if WIDE.match(char) and printable(char) != char}
    assert missing == set()


def test_lines_break_where_they_may() -> None:
    paper = Paper("x", BEGIN)
    lines = paper.wrapped(
        "裁判听取双方陈述，认为和牌有效。" * 12 + " " + "0123456789abcdef" * 20, 9, WIDTH
    )
    assert "".join(lines).replace(" ", "") == (
        "裁判听取双方陈述，认为和牌有效。" * 12 + "0123456789abcdef" * 20
    )
    assert not any(line[0] in "，。" for line in lines)
    assert all(paper.get_string_width(line) <= WIDTH for line in lines)
    assert paper.wrapped("a\nb", 9, WIDTH) == ["a", "b"]
    paper.release()
