"""Whatever the scoring commands are given, they answer with an exit code and no traceback."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from hupai.api.cli.main import app

RULES = ("mcr-1998", "mcr-2006", "mcr-handbook", "sichuan-2024", "kc-2.5")

PIECES = [
    "1m",
    "123m",
    "55p",
    "0s",
    "EEE",
    "999s",
    "1z",
    "1h",
    "8h",
    "?",
    "???",
    "[567m,1]",
    "(9999s)",
    "[1111m+,2]",
    "[???,1]",
    "(????)",
    "[1h]",
    "+1m",
    "+?",
    "+",
    "+?",
    "[",
    ")",
    ",4",
    "东东东",
    "一万",
    "🀇",
    "chow:123m",
    "CHI:W2,1",
    "W1",
    "mm",
    "12",
    "123456789m",
]
FLAGS = [
    "--self-drawn",
    "--last-tile",
    "--robbing-kong",
    "--last-of-kind",
    "--dealer",
    "--heavenly-win",
    "--partner-play",
    "--seat=E",
    "--seat=Q",
    "--round=东",
    "--flowers=9",
    "--flowers=3",
    "--opponents=0",
    "--opponents=2",
    "--void-suit=m",
    "--void-suit=x",
    "--dealer-streak=3",
    "--win=5m",
    "--win=?",
]

piece = st.one_of(
    st.sampled_from(PIECES),
    st.text(max_size=4),
)
hand_text = st.lists(piece, min_size=1, max_size=14).map(" ".join)
many_tiles = st.builds(
    lambda runs, melds, won: " ".join(runs + melds + [won]),
    st.lists(st.sampled_from(["11112222m", "333444p", "EEEEE", "?????", "123456789s"]), max_size=8),
    st.lists(st.sampled_from(["[111m]", "[???]", "(????)", "(1111p)", "[123s,1]"]), max_size=11),
    st.sampled_from(["+5m", "+?", "+1h", ""]),
)
circumstance = st.lists(
    st.sampled_from(FLAGS),
    max_size=4,
)


def hupai(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100"})


def assert_answered(result: Result) -> None:
    assert result.exit_code in (0, 1, 2)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output


@given(
    st.one_of(hand_text, many_tiles),
    st.sampled_from(RULES),
    circumstance,
    st.sampled_from([(), ("--json",), ("--explain",)]),
)
def test_score_answers_every_text(
    text: str, rules: str, flags: list[str], form: tuple[str, ...]
) -> None:
    assert_answered(hupai("score", "--rules", rules, *flags, *form, "--", text))


@given(st.one_of(hand_text, many_tiles), st.sampled_from(RULES), st.booleans())
def test_waits_and_compare_answer_every_text(text: str, rules: str, as_json: bool) -> None:
    form = ("--json",) if as_json else ()
    assert_answered(hupai("waits", "--rules", rules, *form, "--", text))
    assert_answered(hupai("compare", *form, "--", text))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    "text",
    [
        "23m55pEEE ??? (9999s) +1m",
        "23m55pEEE (9999s) +?",
        "?",
        "[???,1]",
        "11112222333344445555666677778888999m +5m",
        "5p [111m] [222m] [333m] [444m] [555m] [666m] [777m] [888m] [999m] +5m",
    ],
)
def test_face_down_tiles_and_too_many_of_a_kind_are_reported(text: str, rules: str) -> None:
    shown, written = (
        hupai("score", "--rules", rules, *form, "--", text) for form in ((), ("--json",))
    )
    assert_answered(shown)
    assert_answered(written)
    codes = {problem["code"] for problem in json.loads(written.stdout)["score"]["problems"]}
    assert codes & {"face_down_tile", "five_of_a_kind", "wrong_count"}
    assert any(code in shown.stdout for code in codes)


name = st.sampled_from(["A", "B", "C", "D", "", "E", "东"])
scalar = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 99), st.floats(), name, st.text(max_size=3)
)
loose = st.recursive(
    scalar,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = [
    "player",
    "kong",
    "from",
    "discarder",
    "base_points",
    "hand",
    "self_drawn",
    "kong_discard",
    "robbing_kong",
    "kong_draw",
    "last_tile",
    "winners",
    "ready",
    "not_ready",
    "natural_pig",
    "late_pig",
    "hands",
    "points",
    "reason",
    "fan",
    "tile",
    "tiles",
    "concealed",
    "melds",
    "win_tile",
    "void_suits",
    "dealer",
    "partners",
    "format",
    "penalties",
    "type",
    "scores",
    "players",
    "events",
    "rules",
    "deals",
    "hand_in",
]
a_value = st.one_of(
    loose,
    st.sampled_from(["concealed", "added", "4m", "E", "123m", "123456789m11p", 1, 2, True, "A"]),
    st.lists(st.sampled_from(["A", "B", "pung:111m", {"player": "A", "base_points": 1}])),
)
types = st.sampled_from(
    [
        "kong",
        "win",
        "multi_win",
        "exhaust",
        "fine",
        "false_win",
        "pig",
        "barred",
        "pass",
        "draw",
        "discard",
        "pung",
        "zzz",
    ]
)
event = st.builds(
    lambda kind, rest: {"player": "A", **rest, "type": kind},
    types,
    st.dictionaries(st.sampled_from(FIELDS), a_value, max_size=5),
)
deal_like = st.builds(
    lambda events, rest: {"players": ["A", "B", "C", "D"], **rest, "events": events},
    st.one_of(st.lists(event, max_size=6), loose),
    st.dictionaries(st.sampled_from(FIELDS), a_value, max_size=3),
)


def run_on_file(command: str, text: str, *options: str) -> Result:
    with TemporaryDirectory() as folder:
        path = Path(folder, "given.json")
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        return hupai(command, str(path), *options)


@given(st.one_of(deal_like, loose), st.booleans())
def test_deal_answers_every_json(value: object, as_json: bool) -> None:
    form = ("--json",) if as_json else ()
    assert_answered(run_on_file("deal", json.dumps(value), *form))


session_like = st.builds(
    lambda rules, deals, rest: {
        "rules": rules,
        "players": ["A", "B", "C", "D"],
        **rest,
        "deals": deals,
    },
    st.sampled_from(RULES),
    st.one_of(
        st.lists(st.one_of(event, st.builds(lambda one: {"events": [one]}, event)), max_size=4),
        loose,
    ),
    st.dictionaries(st.sampled_from(FIELDS), a_value, max_size=2),
)


@given(st.one_of(session_like, loose), st.sampled_from([(), ("--json",), ("--csv",)]))
def test_session_answers_every_json(value: object, form: tuple[str, ...]) -> None:
    assert_answered(run_on_file("session", json.dumps(value), *form))


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["id", "rules", "kind", "concealed", "melds", "win_tile", "expected"]),
            st.one_of(st.sampled_from([*RULES, "hand", "round", "standing"]), a_value),
        ),
        max_size=3,
    ),
    st.booleans(),
)
def test_conformance_answers_every_json(cases: list[object], as_json: bool) -> None:
    text = "\n".join(json.dumps(case) for case in cases)
    assert_answered(run_on_file("conformance", text, *(("--json",) if as_json else ())))


@pytest.mark.parametrize("command", ["deal", "session", "conformance"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' * 100_000, "nested too deeply"),
        ("1" * 10_000, "too many digits"),
        ("nonsense", "not JSON"),
        ("", ""),
        ('{"players": ["A"], "players": ["B"]}', "'players' stands twice"),
    ],
)
def test_invalid_json_is_reported(command: str, text: str, said: str) -> None:
    result = run_on_file(command, text)
    assert_answered(result)
    assert said in result.output
