"""Formats a case for the command line: every numbered entry, then the current state."""

from __future__ import annotations

from collections.abc import Iterator

from hupai.api.cli.typer_app import LANGUAGE
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.dossier.case import Case
from hupai.api.dossier.chain import events as entries
from hupai.api.dossier.chain.events import Event, ResultRecord
from hupai.api.dossier.chain.keys import PublicKey
from hupai.api.dossier.chain.log import Log
from hupai.api.dossier.report.changes import Change, changes, circumstance_words
from hupai.api.dossier.report.wording import WORDS
from hupai.api.dossier.report.zones import shown_time
from hupai.scoring.mcr.citations import clause_zh


def log_lines(log: Log) -> Iterator[str]:
    """Yield the lines that describe a case: its entries, then its current state."""
    case = log.case
    holders = {one.key.text: one.holder for one in case.signers}
    yield f"{case.id}  {case.opening.title}".rstrip()
    for signed in log.events:
        event = signed.event
        holder = holders.get(event.key)
        own = _say(f", signed by {holder}'s own key", f"，由{holder}的个人密钥签名") * bool(holder)
        when = shown_time(event.time, case.opening.zone, seconds=True)
        kind = _say(event.body.kind.replace("_", " "), _KINDS[event.body.kind])
        yield f"{event.seq:4}  {kind} — {event.author.shown}, {when}{own}  [{signed.hash[:16]}]"
        yield from (f"        {line}" for line in _said(event))
    yield from _standing(case)


def _say(en: str, zh: str) -> str:
    """Return the words in the language that the command answers in."""
    return zh if LANGUAGE.get() == "zh" else en


def _word(key: str) -> str:
    """Return a word of the report in the language that the command answers in."""
    return _say(*WORDS[key])


def _change(one: Change) -> str:
    return {"zh": one.zh, "en": one.en}.get(LANGUAGE.get(), f"{one.en} · {one.zh}")


_KINDS = {
    "opened": "立案",
    "played_at": "赛事与选手",
    "photo_added": "添加照片",
    "photo_read": "识别照片",
    "scored": "计分",
    "correction_proposed": "提出更正",
    "correction_decided": "决定更正",
    "claimed": "申报",
    "objected": "异议",
    "ruled": "裁定",
    "noted": "备注",
    "closed": "结案",
    "reopened": "重新立案",
    "key_changed": "更换密钥",
    "key_introduced": "引入个人密钥",
}
"""The Chinese of each kind of entry, as on the page of a case."""


def _standing(case: Case) -> Iterator[str]:
    undecided = {
        _say("corrections", "更正"): case.undecided,
        _say("objections", "异议"): case.unanswered,
    }
    for what, numbers in undecided.items():
        if numbers:
            listed = ", ".join(map(str, numbers))
            yield _say(f"undecided {what}: {listed}", f"未决{what}：{listed}")
    ruling = case.ruling.ruling if case.ruling is not None else None
    if ruling is not None:
        yield _say("ruled: ", "裁定：") + _outcome(ruling)
    state = _say(case.state.value, WORDS[f"state_{case.state.value}"][1])
    yield f"{state}; {_result(case.standing)}"


def _outcome(ruling: entries.Ruled) -> str:
    outcome = _say(ruling.outcome.replace("_", " "), _OUTCOMES[ruling.outcome])
    return outcome + ("" if ruling.total is None else f", {_points(ruling.total, ruling.unit)}")


_OUTCOMES = {"win": "和牌有效", "false_win": "诈和（错和）", "void": "本盘作废"}


def _points(total: int, unit: str) -> str:
    return f"{total} {_say(unit, WORDS[f'unit_{unit}'][1])}"


def _result(result: ResultRecord | None) -> str:
    if result is None:
        return _say("no hand: no score", "没有手牌，未计分")
    score = result.score
    counted = _say("no score", "未计分") if score is None else _points(score.total, score.unit)
    return f"{result.notation}: {counted}"


def _said(event: Event) -> Iterator[str]:  # noqa: C901 - one case a kind of entry
    match event.body:
        case entries.Opened() as body:
            yield f"{_say('rules', '规则')} {body.rules.id}, {_won_how(body.circumstances)}"
        case entries.PlayedAt() as body:
            yield from _played_at(body)
        case entries.PhotoAdded() as body:
            photo = body.photo
            yield f"{photo.name}, {photo.width} × {photo.height}, SHA-256 {photo.sha256}"
        case entries.PhotoRead() as body:
            read = body.reading
            sure = _say("certain", "确定") if read.certain else _say("not certain", "不确定")
            hand = read.hands[0].notation if read.hands else _say("no legal hand", "没有合法手牌")
            yield f"{body.model.name} {body.model.version}: {hand} ({sure})"
        case entries.Scored() as body:
            yield _result(body.result)
        case entries.CorrectionProposed() as body:
            yield f"{_result(body.before)} → {_result(body.after)}"
            yield from map(_change, changes(body.before, body.after))
            yield _because(body.reason)
        case entries.CorrectionDecided() as body:
            verdict = _word("accepted" if body.accepted else "rejected")
            decision = _say(f"proposal {body.proposal} {verdict}", f"第{body.proposal}条{verdict}")
            yield f"{decision}: {body.reason}" if body.reason else decision
        case entries.Claimed() as body:
            fans = f" ({'、'.join(body.fans)})" if body.fans else ""
            claims = f"{body.by} {_say('claims', '申报')} {_points(body.total, body.unit)}"
            yield f"{claims}{fans} {body.text}".rstrip()
        case entries.Objected() as body:
            to = (
                ""
                if body.entry is None
                else _say(f" to entry {body.entry}", f"（第{body.entry}条）")
            )
            yield f"{body.by} {_say('objects', '提出异议')}{to}: {body.what}"
            yield _because(body.reason)
        case entries.Ruled() as body:
            yield from _ruling(body)
        case entries.Noted() as body:
            yield body.text
        case entries.Closed() | entries.Reopened() as body:
            yield body.reason
        case entries.KeyChanged() as body:
            lost = _say(" (the old key was lost)", "（原密钥已遗失）")
            for one in body.certificates:
                old, new = (PublicKey.from_text(key).fingerprint for key in (one.follows, one.key))
                yield f"{old} → {new}" + ("" if one.signature else lost)
        case entries.KeyIntroduced() as body:
            yield f"{body.holder}: {PublicKey.from_text(body.key).fingerprint}"


_PLACE = {
    "tournament": "tournament",
    "session": "session",
    "table": "table",
    "round": "round",
    "hand": "hand_number",
    "winner": "signed_winner",
    "discarder": "signed_discarder",
}
"""Where a hand was played, and the word of the report for each field."""


def _played_at(body: entries.PlayedAt) -> Iterator[str]:
    where = {name: getattr(body, name) for name in _PLACE}
    fields = (
        f"{_say(name, WORDS[_PLACE[name]][1])} {value}" for name, value in where.items() if value
    )
    yield ", ".join(fields)
    for player in body.players:
        seat = _say(player.seat, WORDS[f"seat_{player.seat}"][1])
        yield f"{seat}: {player.name} {player.number}".rstrip()


def _because(reason: str) -> str:
    return _say(f"because: {reason}", f"理由：{reason}")


def _won_how(circumstances: CircumstancesModel) -> str:
    words = "; ".join(_say(one.en, one.zh) for one in circumstance_words(circumstances))
    return words or _say("nothing special", "无特殊条件")


def _ruling(body: entries.Ruled) -> Iterator[str]:
    yield f"{_outcome(body)}: {body.reason} {body.clause}".rstrip()
    fine = body.fine
    if fine is not None:
        points = "" if fine.points is None else f", {_points(fine.points, 'points')}"
        offence = _say(f"{fine.rules}/{fine.offence}", f"{fine.rules} {fine.name_zh}")
        clause = _say(fine.clause, clause_zh(fine.clause))
        yield f"{_word('fine').lower()}: {offence}{points} ({clause})"
    if body.leaves_open:
        listed = ", ".join(map(str, body.leaves_open))
        yield _say(f"left open: {listed}", f"仍未决：{listed}")
