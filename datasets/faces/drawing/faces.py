"""A whole face: the drawing of a tile in a style, its corner index and the SVG around them."""

from __future__ import annotations

from hupai.datasets.faces.drawing import bamboo, birds, characters, dots, plants
from hupai.datasets.faces.drawing.shapes import HEIGHT, WIDTH, group, num, path, rect
from hupai.datasets.faces.drawing.style import Index, Style
from hupai.scoring.tiles import ZH_NAMES, Suit, Tile

_EN_SUITS = {Suit.CHARACTERS: "of characters", Suit.DOTS: "of dots", Suit.BAMBOO: "of bamboo"}
_EN_NAMES = {
    Tile.EAST: "east wind", Tile.SOUTH: "south wind", Tile.WEST: "west wind",
    Tile.NORTH: "north wind", Tile.RED: "red dragon", Tile.GREEN: "green dragon",
    Tile.WHITE: "white dragon", Tile.SPRING: "spring", Tile.SUMMER: "summer",
    Tile.AUTUMN: "autumn", Tile.WINTER: "winter", Tile.PLUM: "plum", Tile.ORCHID: "orchid",
    Tile.BAMBOO_PLANT: "bamboo plant", Tile.CHRYSANTHEMUM: "chrysanthemum",
    Tile.BACK: "back of a tile",
}  # fmt: skip
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def title(tile: Tile) -> str:
    """Return what a screen reader says: English name, Chinese name."""
    if tile.suit in _EN_SUITS:
        name = f"{_NUMBERS[tile.rank - 1]} {_EN_SUITS[tile.suit]}"
    else:
        name = _EN_NAMES[tile]
    return f"{name} {ZH_NAMES[tile]}"


def draw(tile: Tile, style: Style | None = None) -> str:
    """Draw the face of a tile as an SVG document, 300 by 400, transparent but for the ink.

    The back is filled. Without a style, the project's own set is drawn.

    Raises:
        FontError: if no available font has a character that is needed.
    """
    style = style or Style()
    content = _content(tile, style)
    if tile is not Tile.BACK:
        content = group(content, _placement(style)) + _corner(tile, style)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img">'
        f"<title>{title(tile)}</title>{content}</svg>\n"
    )


def _content(tile: Tile, style: Style) -> str:
    suit = tile.suit
    if suit is Suit.CHARACTERS:
        return characters.number(tile.rank, style)
    if suit is Suit.DOTS:
        return dots.draw(tile.rank, style)
    if suit is Suit.BAMBOO:
        return birds.draw(style) if tile.rank == 1 else bamboo.draw(tile.rank, style)
    if suit is Suit.WINDS:
        return characters.wind(tile.code, style)
    if suit is Suit.FLOWERS:
        return plants.draw(tile, style)
    if tile is Tile.RED:
        return characters.red_dragon(style)
    if tile is Tile.GREEN:
        return characters.green_dragon(style)
    return characters.white_dragon(style) if tile is Tile.WHITE else _back(style)


def _placement(style: Style) -> str:
    scale = style.ink_scale * (style.index_ink if style.index is not Index.NONE else 1)
    if scale == 1 and style.shift == (0, 0):
        return ""
    dy = 8 if style.index is not Index.NONE else 0
    x, y = WIDTH / 2 * (1 - scale) + style.shift[0], HEIGHT / 2 * (1 - scale) + style.shift[1] + dy
    return f"translate({num(x)} {num(y)})scale({scale:.3f})"


def _corner(tile: Tile, style: Style) -> str:
    """Draw the small digit of a suited tile or letter of a wind."""
    if style.index is Index.NONE or not (tile.is_suited or tile.suit is Suit.WINDS):
        return ""
    text = str(tile.rank) if tile.is_suited else tile.code
    high = style.index_size
    at = (WIDTH - 4 - high / 2 if style.index is Index.RIGHT else 4 + high / 2, 10 + high / 2)
    if style.index is Index.INSIDE and tile is Tile.P4:
        at = (WIDTH / 2, HEIGHT / 2)
    box, font = (high * 38 / 48, high), style.index_font or style.font
    drawn = characters.glyph(font, text, at, box, style.palette.index, 1.5)
    if style.second_index:
        drawn += group(drawn, f"rotate(180 {num(WIDTH / 2)} {num(HEIGHT / 2)})")
    return drawn


def _back(style: Style) -> str:
    """Draw the back, filled to the edge, with a lighter lattice if the style has one."""
    panel = rect(0, 0, WIDTH, HEIGHT, 26, style.back)
    if not style.back_pattern:
        return panel
    lines = "".join(
        f"M{x} 44L{min(x + 312, 256)} {44 + min(312, 256 - x)}" for x in range(44, 256, 53)
    )
    lines += "".join(
        f"M44 {y}L{44 + min(212, 356 - y)} {y + min(212, 356 - y)}" for y in range(97, 356, 53)
    )
    mirrored = group(path(lines, None, "#fff", 3), "matrix(-1 0 0 1 300 0)")
    frame = rect(32, 32, 236, 336, 16, None, "#fff", 5)
    return panel + f'<g opacity=".35">{path(lines, None, "#fff", 3)}{mirrored}{frame}</g>'
