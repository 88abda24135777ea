"""What differs between two results, in words: tiles, melds and how they were claimed, the winning
tile, and how the hand was won.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hupai.api.contract.circumstances import DESCRIPTIONS
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.dossier.chain.events import ResultRecord
from hupai.api.dossier.report.wording import WORDS
from hupai.scoring.hand import Hand, Meld
from hupai.scoring.tiles import ZH_NAMES, Tile


@dataclass(frozen=True, slots=True)
class Change:
    """One difference, in English and Chinese."""

    en: str
    zh: str


_NOTHING = "–"
_NOWHERE = Change("not in the hand", "不在手牌中")


def changes(before: ResultRecord | None, after: ResultRecord) -> tuple[Change, ...]:
    """List the differences between two results; without a result before, nothing is compared."""
    if before is None:
        return ()
    old, new = before.hand.to_hand(), after.hand.to_hand()
    return (
        *_tiles(old, new),
        *_melds(old, new),
        *_named("winning_tile", _faces([old.winning_tile]), _faces([new.winning_tile])),
        *_named("flowers", _faces(sorted(old.flowers)), _faces(sorted(new.flowers))),
        *_named("red_fives", _faces(_red(old)), _faces(_red(new))),
        *_circumstances(before.circumstances, after.circumstances),
    )


def circumstance_words(circumstances: CircumstancesModel) -> tuple[Change, ...]:
    """Name the circumstances that differ from their defaults."""
    plain = CircumstancesModel().model_dump()
    given = circumstances.model_dump()
    found = []
    for name, value in given.items():
        if value == plain[name]:
            continue
        label, shown = _label(name), _value(name, value)
        flag = value is True
        found.append(
            Change(
                label.en if flag else f"{label.en}: {shown.en}",
                label.zh if flag else f"{label.zh}：{shown.zh}",
            )
        )
    return tuple(found)


def _tiles(old: Hand, new: Hand) -> Iterator[Change]:
    """Say which faces left the hand and which came."""
    had, has = Counter(old.all_tiles), Counter(new.all_tiles)
    out, into = sorted((had - has).elements()), sorted((has - had).elements())
    yield from _named("tile", _faces(out), _faces(into))


def _melds(old: Hand, new: Hand) -> Iterator[Change]:
    """Say what became of each set that was, or is, laid down, and from whom it was claimed."""
    had, has = list(old.melds), list(new.melds)
    for meld in list(had):
        if meld in has:
            had.remove(meld)
            has.remove(meld)
    for meld in had:
        now = next((one for one in has if set(one.tiles) == set(meld.tiles)), None)
        now = now or next((one for one in has if _replaces(one, meld, old, new)), None)
        if now is None:
            yield _moved(meld, _described(meld), _place(meld, new))
            continue
        has.remove(now)
        shown, described = _faces(now.tiles), _described(now)
        if now.tiles != meld.tiles:
            described = Change(f"{shown.en} {described.en}", f"{shown.zh}{described.zh}")
        yield _moved(meld, _described(meld), described)
    for meld in has:
        yield _moved(meld, _place(meld, old), _described(meld))


def _replaces(now: Meld, meld: Meld, old: Hand, new: Hand) -> bool:
    """Whether other tiles of the same kind of set took a set's place: neither lay concealed."""
    return now.kind is meld.kind and _NOWHERE == _place(meld, new) == _place(now, old)


def _moved(meld: Meld, before: Change, after: Change) -> Change:
    shown = _faces(meld.tiles)
    return Change(f"{shown.en}: {before.en} → {after.en}", f"{shown.zh}：{before.zh} → {after.zh}")


def _described(meld: Meld) -> Change:
    en, zh = WORDS[meld.kind.value]
    if meld.kind.value == "concealed_kong":
        return Change(en, zh)
    if meld.claimed_from is None:
        return Change(f"claimed {en}", f"{zh}（来源未注明）")
    source = WORDS[f"from_{meld.claimed_from.value}"]
    return Change(f"claimed {en} {source[0]}", f"{zh}（{source[1]}）")


def _place(meld: Meld, hand: Hand) -> Change:
    """Say whether the tiles of a set are among those of a hand that were not laid down."""
    kept = Counter(hand.concealed)
    if hand.winning_tile is not None:
        kept[hand.winning_tile] += 1
    if Counter(meld.tiles) <= kept:
        return Change("concealed in the hand", "手中暗牌")
    return _NOWHERE


def _red(hand: Hand) -> Sequence[Tile]:
    return sorted((*hand.red_fives, *(tile for meld in hand.melds for tile in meld.red_fives)))


def _named(key: str, before: Change, after: Change) -> Iterator[Change]:
    if before != after:
        en, zh = WORDS[key]
        yield Change(f"{en}: {before.en} → {after.en}", f"{zh}：{before.zh} → {after.zh}")


def _faces(tiles: Sequence[Tile | None]) -> Change:
    known = [tile for tile in tiles if tile is not None]
    return Change(
        " ".join(tile.code for tile in known) or _NOTHING,
        "".join(ZH_NAMES[tile] for tile in known) or _NOTHING,
    )


def _circumstances(before: CircumstancesModel, after: CircumstancesModel) -> Iterator[Change]:
    old, new = before.model_dump(), after.model_dump()
    for name, value in new.items():
        if old[name] != value:
            label, was, now = _label(name), _value(name, old[name]), _value(name, value)
            yield Change(f"{label.en}: {was.en} → {now.en}", f"{label.zh}：{was.zh} → {now.zh}")


def _label(name: str) -> Change:
    about = DESCRIPTIONS.get(name)
    return Change(about.label_en, about.label_zh) if about else Change(name, name)


def _value(name: str, value: object) -> Change:
    """Return a value of a circumstance in words: that of a choice, yes or no, tiles, a number."""
    if isinstance(value, bool):
        return Change("yes", "是") if value else Change("no", "否")
    about = DESCRIPTIONS.get(name)
    choice = next((one for one in about.choices if one.value == value), None) if about else None
    if choice is not None:
        return Change(choice.label_en, choice.label_zh)
    if isinstance(value, (list, tuple)):
        return _faces([Tile.from_code(code) for code in value])
    shown = _NOTHING if value is None else str(value)
    return Change(shown, shown)
