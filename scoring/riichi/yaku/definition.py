"""What a yaku is, and how one is made from the library's."""

from __future__ import annotations

from dataclasses import dataclass

from hupai.scoring.riichi.library import YAKU
from hupai.scoring.riichi.yaku import conditions as when
from hupai.scoring.tiles import Tile


@dataclass(frozen=True, slots=True)
class Yaku:
    """A yaku.

    Attributes:
        id: stable name.
        ja, en, zh: its names.
        closed: han of a closed hand; 13 a yakuman, 26 a double one.
        open: han of an open hand; 0 if it needs a closed one.
        find: whether a reading has it, an open hand or not.
        why_en, why_zh: what earns it.
        parts: the parts of the reading that it uses; none where it is about the hand or the win.
        contains: ids of yaku that it cannot be without and that do not count beside it.
    """

    id: str
    ja: str
    en: str
    zh: str
    closed: int
    open: int
    find: when.Find
    why_en: str
    why_zh: str
    parts: when.Parts = when.no_parts
    contains: tuple[str, ...] = ()

    @property
    def is_yakuman(self) -> bool:
        """True for limit hands."""
        return self.closed >= 13

    def han(self, is_open: bool) -> int:
        """Return the han of an open or a closed hand."""
        return self.open if is_open else self.closed


def of(
    name: str,
    ja: str,
    en: str,
    zh: str,
    find: when.Find | None,
    why_en: str,
    why_zh: str,
    **more: object,
) -> Yaku:
    """Make a yaku with the han that the library gives it; `find` None: what the sets show."""
    library = getattr(YAKU, name)
    found = when.shown(name) if find is None else find
    return Yaku(
        name,
        ja,
        en,
        zh,
        library.han_closed or 0,
        library.han_open or 0,
        found,
        why_en,
        why_zh,
        **more,  # type: ignore[arg-type]
    )


def value_wind(place: str, ja: str, en: str, zh: str, wind: when.Wind) -> Yaku:
    """Make the yaku of a pung of the seat or round wind."""
    return Yaku(
        f"{place}_wind",
        ja,
        en,
        zh,
        1,
        1,
        when.wind(place, wind),
        f"A pung or kong of the {place} wind.",
        f"{zh.removeprefix('役牌：')}的刻子或杠。",
        parts=lambda reading: reading.of_tile(wind(reading)),
    )


def dragon(name: str, ja: str, en: str, zh: str, tile: Tile) -> Yaku:
    """Make the yaku of a pung of dragons."""
    return of(
        name,
        ja,
        en,
        zh,
        when.with_pung(name),
        "A pung or kong of this dragon.",
        "此三元牌的刻子或杠。",
        parts=lambda reading: reading.of_tile(tile),
    )
