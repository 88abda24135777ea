"""The tables of a report."""

from __future__ import annotations

from collections.abc import Iterable

from hupai.api.dossier.case import Case
from hupai.api.dossier.chain.events import Event, PhotoRead, ResultRecord, Ruled
from hupai.api.dossier.chain.signers import Signer
from hupai.api.dossier.report.pdf import (
    INK,
    JADE,
    RED,
    SOFT,
    VIOLET,
    Cell,
    Colour,
    Paper,
    text_cell,
)
from hupai.api.dossier.report.wording import WORDS, Words
from hupai.scoring.checks.hand import has_errors
from hupai.scoring.compare import WinStatus, compare
from hupai.scoring.mcr.citations import clause_zh
from hupai.scoring.result import ExcludedFan, FanLine, Problem, Score, Severity, Step
from hupai.scoring.tiles import ZH_NAMES, Tile

DOUBTFUL_BELOW = 0.95
"""A tile of the hand read with less than this is listed."""


def doubts(paper: Paper, words: Words, read: PhotoRead) -> None:
    """Write the tiles that were inferred or read with doubt, and the problems of the photo."""
    tiles = [
        tile
        for tile in read.reading.tiles
        if tile.in_hand and (tile.inferred or tile.confidence < DOUBTFUL_BELOW)
    ]
    if tiles:
        paper.ln(1)
        rows = []
        for tile in tiles:
            others = ", ".join(f"{_name(face.code)} {p:.1%}" for face, p in tile.alternatives[:3])
            why = "inferred" if tile.inferred else "unsure"
            rows.append(
                [
                    text_cell(f"#{tile.id}", SOFT),
                    Cell(((_name(tile.tile.code), INK),), (tile.tile,)),
                    text_cell("" if tile.inferred else f"{tile.confidence:.1%}", right=True),
                    text_cell(others),
                    _both(words, WORDS[why], VIOLET if tile.inferred else INK),
                ]
            )
        paper.write_table(
            ["#", words("doubts"), words("sure"), words("maybe"), words("why_doubt")],
            [1, 4, 2.4, 5, 7],
            rows,
        )
    for problem in read.reading.problems:
        for line in words.lines(problem.message, problem.message_zh):
            paper.write_text(line, 8, RED if problem.severity is Severity.ERROR else SOFT)


def claims(paper: Paper, words: Words, case: Case) -> None:
    """Write what was claimed, what is computed and what was ruled, one below the other."""
    paper.heading(words("claims"))
    rows = []
    for one in case.claims:
        claim = one.claim
        said = " — ".join(part for part in ("、".join(claim.fans), claim.text) if part)
        total = f"{claim.total} {words(f'unit_{claim.unit}')}"
        rows.append(
            [
                text_cell(f"{words('claimed_by')} {claim.by}"),
                text_cell(total, right=True),
                text_cell(said),
            ]
        )
    changed = case.standing != case.computed
    minimum = case.opening.rules.minimum
    if case.computed is not None or not changed:
        rows.append(_result_row(words, words("computed"), case.computed, minimum))
    if changed:
        rows.append(_result_row(words, words("standing"), case.standing, minimum))
    for contested in case.objections:
        against = contested.objection
        to = "" if against.entry is None else f" ({words('number')} {against.entry})"
        rows.append(
            [
                text_cell(f"{words('objected_by')} {against.by}"),
                text_cell(""),
                text_cell(f"{against.what}{to} — {against.reason}"),
            ]
        )
    if case.ruling is not None:
        ruling = case.ruling.ruling
        total = "" if ruling.total is None else f"{ruling.total} {words(f'unit_{ruling.unit}')}"
        rows.append(
            [
                text_cell(words("ruled")),
                text_cell(total, right=True),
                _both(words, WORDS[f"outcome_{ruling.outcome}"], INK),
            ]
        )
    paper.write_table([words("who"), words("total"), words("remarks")], [5, 3, 10], rows, 8.5)


def _result_row(words: Words, name: str, result: ResultRecord | None, minimum: int) -> list[Cell]:
    """Return a row for a result; if a hand may not win, it has no total, but what it counts."""
    if result is None or result.score is None:
        return [
            text_cell(name),
            text_cell("–", right=True),
            text_cell(words("no_hand" if result is None else "no_score"), RED),
        ]
    score = result.score
    listed = _listed(words, score) or words("none")
    counted = f"{score.total} {words(f'unit_{score.unit}')}"
    if score.legal:
        verdict = Cell(((words("legal"), INK), (listed, INK)))
        return [text_cell(name), text_cell(counted, right=True), verdict]
    refused = f"{words('not_legal')}; {words('counts_only')} {counted}"
    if _is_too_cheap(score):
        refused += f" ({words('of_minimum')} {minimum})"
    return [
        text_cell(name),
        text_cell("–", right=True),
        Cell(((refused, RED), (listed, INK))),
    ]


def _is_too_cheap(score: Score) -> bool:
    """Whether a hand may not win because of the minimum alone."""
    low = any(one.code == "below_minimum" for one in score.problems)
    return low and not has_errors(score.problems)


def fans(paper: Paper, words: Words, score: Score) -> None:
    """Write the fan with their clauses, excluded fan with reasons, payments, and problems."""
    paper.heading(words("fan_list"))
    if score.fans:
        head = [words("fan"), words("points"), words("clause"), words("reason")]
        rows = [*(_fan_row(words, fan) for fan in score.fans), _sum_row(words, score)]
        paper.write_table(head, [5, 2.2, 4, 8], rows)
    else:
        paper.write_text(words("none"), 8.5)
    if score.excluded:
        paper.heading(words("excluded"))
        head = [words("fan"), words("points"), words("clause"), words("reason")]
        paper.write_table(
            head, [5, 2.2, 4, 8], [_excluded_row(words, fan) for fan in score.excluded]
        )
    problems(paper, words, score.problems)
    if score.payments:
        paper.heading(words("payments"))
        for pay in score.payments:
            who = words(f"payer_{pay.payer}") if f"payer_{pay.payer}" in WORDS else pay.payer
            paper.write_text(
                f"{who}: {pay.amount}"
                + (f" × {pay.count}" if pay.count > 1 else "")
                + (f"  ({pay.formula})" if pay.formula else ""),
                8.5,
            )
        paper.write_text(f"{words('receives')}: {score.winner_receives}", 8.5, bold=True)


def _signer(words: Words, signer: Signer) -> str:
    """Return whose key it is, and from which entry on it signs."""
    whose = words("key") if not signer.holder else f"{words('personal_key')} {signer.holder}"
    since = f", {words('since_entry')} {signer.first}" if signer.first else ""
    return whose + since + (f", {words('key_lost')}" if signer.lost else "")


def _sum_row(words: Words, score: Score) -> list[Cell]:
    """Return the last row: the total, with the steps to it where the rules do more than add."""
    steps = [
        (line, INK)
        for step in score.steps
        for line in words.lines(
            f"{step.en}: {_step(step)}",
            f"{step.zh}：{_step(step)}",
        )
    ]
    if not steps and len(score.fans) + sum(fan.count for fan in score.fans) > 2:
        added = " + ".join(
            str(fan.points) + (f" × {fan.count}" if fan.count > 1 else "") for fan in score.fans
        )
        if sum(fan.points * fan.count for fan in score.fans) == score.total:
            steps = [(f"{added} = {score.total}", SOFT)]
    total = f"{score.total} {words(f'unit_{score.unit}')}"
    return [
        text_cell(words("sum"), JADE),
        text_cell(total, JADE, right=True),
        Cell(),
        Cell(tuple(steps)),
    ]


def _step(step: Step) -> str:
    return f"{step.formula} = {step.amount}" if step.formula else str(step.amount)


def _fan_row(words: Words, fan: FanLine) -> list[Cell]:
    points = f"{fan.points}" + (f" × {fan.count}" if fan.count > 1 else "")
    name = _both(words, (fan.en, fan.zh), INK)
    return [
        name,
        text_cell(points, right=True),
        text_cell(fan.clause),
        _both(words, (fan.why_en, fan.why_zh), INK),
    ]


def _excluded_row(words: Words, fan: ExcludedFan) -> list[Cell]:
    reason = [(words(f"principle_{fan.principle.value}"), SOFT)]
    reason += [(line, INK) for line in words.lines(fan.reason_en, fan.reason_zh)]
    points = f"{fan.points}" + (f" × {fan.count}" if fan.count > 1 else "")
    name = _both(words, (fan.en, fan.zh), SOFT)
    return [
        name,
        text_cell(points, SOFT, right=True),
        text_cell(fan.clause, SOFT),
        Cell(tuple(reason)),
    ]


def problems(paper: Paper, words: Words, found: Iterable[Problem]) -> None:
    """Problems of the hand, unless they are mere notes."""
    serious = [problem for problem in found if problem.severity is not Severity.NOTE]
    if not serious:
        return
    paper.heading(words("problems"))
    for problem in serious:
        for line in words.lines(problem.message, problem.message_zh):
            paper.write_text(line, 8.5, RED if problem.severity is Severity.ERROR else INK)


def other_rules(paper: Paper, words: Words, case: Case) -> None:
    """Write the standing hand's score under every rule set."""
    if case.standing is None:
        return
    paper.heading(words("other_rules"))
    found = compare(case.standing.hand.to_hand(), case.standing.circumstances.to_circumstances())
    rows = []
    for column in found.columns:
        reasons = tuple(
            (line, SOFT)
            for problem in column.reasons[:1]
            for line in words.lines(problem.message, problem.message_zh)
        )
        listed = _listed(words, column.score)
        wins = column.status is WinStatus.WIN
        total = f"{column.score.total} {words(f'unit_{column.score.unit}')}" if wins else "–"
        verdict = (
            (words(f"verdict_{column.status.value}"), INK),
            *(((listed, INK),) if listed else ()),
            *reasons,
        )
        rows.append(
            [
                _both(words, (column.name_en, column.name_zh), INK),
                text_cell(total, right=True),
                Cell(verdict),
            ]
        )
    paper.write_table([words("rules"), words("total"), words("remarks")], [6, 3, 10], rows, 7.5)


def rulings(paper: Paper, words: Words, case: Case) -> None:
    """Write the rulings with clause, reason and fine, and the remarks."""
    paper.heading(words("ruling"))
    if not case.rulings:
        paper.write_text(words("no_ruling"), 8.5, RED)
    for one in case.rulings:
        _ruling(paper, words, one.ruling)
        paper.write_text(_when(words, one.event), 8, SOFT)
    if case.notes:
        paper.heading(words("notes"))
    for event in case.notes:
        paper.write_text(f"{_when(words, event)}: {getattr(event.body, 'text', '')}", 8.5)


def _ruling(paper: Paper, words: Words, ruling: Ruled) -> None:
    total = "" if ruling.total is None else f"  {ruling.total} {words(f'unit_{ruling.unit}')}"
    paper.write_text(words(f"outcome_{ruling.outcome}") + total, 10, bold=True)
    paper.write_text(ruling.reason + (f" ({ruling.clause})" if ruling.clause else ""), 9)
    fine = ruling.fine
    if fine is None:
        return
    points = "" if fine.points is None else f", {words('fine_points')} {fine.points}"
    clause = clause_zh(fine.clause) if words.language == "zh" else fine.clause
    paper.write_text(
        f"{words('fine')}: {words.pick(fine.name_en, fine.name_zh)}{points} ({clause})", 9
    )
    for line in words.lines(fine.follows_en, fine.follows_zh):
        paper.write_text(line, 8.5, SOFT)
    for payment in fine.payments:
        paper.write_text(
            f"{words('pays')} {payment.payee}: {payment.amount} {payment.formula}", 8.5
        )


def evidence(paper: Paper, words: Words, case: Case) -> None:
    """Write the hashes, all keys that signed, and how to check them."""
    own = [one for one in case.signers if not one.holder]
    # A key is trusted if it follows from one that is named; the others are named themselves.
    named = [one for one in own if one.by is None or one.lost]
    keys = " ".join(f"--key {one.key.fingerprint[:32]}" for one in named)
    paper.heading(words("evidence"))
    for line in words.lines(*WORDS["evidence_text"]):
        paper.write_text(line, 8, SOFT)
    for line in words.lines(*WORDS["signed_by"]):
        paper.write_text(line, 8, SOFT)
    paper.write_text(f"hupai dossier verify FILE {keys} --head {case.head[:32]}", 8)
    rows = [
        (f"{words('head')} ({case.events} {words('entries')})", case.head),
        *((_signer(words, one), one.key.fingerprint) for one in case.signers),
        *(
            (f"{words('photo_hash')} {photo.record.name}", photo.record.sha256)
            for photo in case.photos
        ),
        *dict.fromkeys(
            (
                f"{words('model_hash')} {photo.read.model.name} {photo.read.model.version}",
                photo.read.model.sha256,
            )
            for photo in case.photos
            if photo.read is not None
        ),
        (
            f"{words('rules_hash')} {case.opening.rules.id}, hupai {case.opening.program.version}",
            case.opening.program.scoring_sha256,
        ),
    ]
    paper.write_table(
        ["", "SHA-256"], [6, 12], [[text_cell(name), text_cell(value)] for name, value in rows], 7.5
    )


def _listed(words: Words, score: Score) -> str:
    """Return the names of the fan that count; in English only if only English is requested."""
    english = words.language == "en"
    return (", " if english else "、").join(
        (fan.en if english else fan.zh) + (f"×{fan.count}" if fan.count > 1 else "")
        for fan in score.fans
    )


def _both(words: Words, said: tuple[str, str], colour: Colour) -> Cell:
    lines = words.lines(*said)
    return Cell(tuple((line, colour if number == 0 else SOFT) for number, line in enumerate(lines)))


def _when(words: Words, event: Event) -> str:
    return f"{event.author.shown}, {words.time(event.time)}"


def _name(code: str) -> str:
    return f"{ZH_NAMES[Tile.from_code(code)]} {code}" if code else ""
