"""A4 pages: text that wraps in Chinese and English, tables that break over pages, tiles, pictures,
a QR code.

Lengths are millimetres.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import pairwise

import numpy as np
import segno
from fontTools.ttLib import TTFont
from fpdf import FPDF
from fpdf.fonts import TTFFont
from PIL import Image as Pillow

from hupai.api.dossier.report.fonts import PATH
from hupai.datasets.faces.svg import face_rgba
from hupai.scoring.tiles import Tile

Colour = tuple[int, int, int]
INK: Colour = (29, 36, 33)
SOFT: Colour = (92, 102, 95)
JADE: Colour = (11, 107, 82)
RED: Colour = (179, 48, 31)
LINE: Colour = (205, 198, 182)
HEAD: Colour = (226, 239, 232)
VIOLET: Colour = (130, 60, 190)
BLUE: Colour = (43, 95, 168)
_IVORY: Colour = (253, 249, 236)

MARGIN = 15.0
WIDTH = 210.0 - 2 * MARGIN
_BOTTOM = 297.0 - 17.0
_FAMILY = "Hupai"
_FACE_HEIGHT = 200
_NO_START = set("，。、；：？！）》」』】〉％”’…·,.;:?!)]}%")
_NO_END = set("（《「『【〈“‘([{")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: paragraphs of text, each with its colour, and tiles to draw under them."""

    paragraphs: tuple[tuple[str, Colour], ...] = ()
    tiles: tuple[Tile, ...] = ()
    right: bool = False


@dataclass(frozen=True, slots=True)
class DrawnTile:
    """A tile to draw; `mark` is the colour of an outline, if any."""

    tile: Tile
    mark: Colour | None = None


class Paper(FPDF):
    """The pages of a report. `footer_text` is printed at the foot of each, with the page number."""

    def __init__(self, title: str, written: datetime) -> None:
        super().__init__(format="A4")
        self.footer_text = ""
        self._written = written
        self._scratch: Paper | None = None
        self.set_margins(MARGIN, MARGIN)
        self.set_auto_page_break(False)
        self.add_font(_FAMILY, "", str(PATH))
        self.set_title(title)
        self.set_creator("Hupai")
        self.set_creation_date(written)
        self.add_page()

    def release(self) -> None:
        """Close the font's file; nothing more can be written then."""
        for font in self.fonts.values():
            if isinstance(font, TTFFont):
                font.close()
        if self._scratch is not None:
            self._scratch.release()

    def footer(self) -> None:
        """Write the foot of a full page; fpdf2 calls this."""
        self.set_font(_FAMILY, size=7)
        self.set_text_color(*SOFT)
        self.set_xy(MARGIN, 297 - 11)
        self.cell(WIDTH - 20, 4, printable(self.footer_text))
        self.set_xy(MARGIN + WIDTH - 20, 297 - 11)
        self.cell(20, 4, f"{self.page_no()} / {{nb}}", align="R")

    def room(self, height: float) -> None:
        """Begin a new page unless this much of the current one is left."""
        if self.get_y() + height > _BOTTOM:
            self.add_page()

    def together(self, write: Callable[[Paper], None]) -> None:
        """Write something on one page: on the next if it fits there but not here.

        Args:
            write: writes it to the given document; called on a scratch document first to measure
                it.
        """
        if self._scratch is None:
            self._scratch = Paper("", self._written)
        scratch = self._scratch
        scratch.add_page()
        page, top = scratch.page_no(), scratch.get_y()
        write(scratch)
        if scratch.page_no() == page:
            self.room(scratch.get_y() - top)
        write(self)

    def heading(self, text: str, follows: float = 14.0) -> None:
        """Begin a section; its title stays on a page with at least `follows` of what comes next."""
        self.room(10 + follows)
        self.ln(4)
        self.write_text(text, 11.5, JADE, bold=True)
        self.set_draw_color(*LINE)
        self.line(MARGIN, self.get_y() + 0.6, MARGIN + WIDTH, self.get_y() + 0.6)
        self.ln(2)

    def band(self, text: str, right: str, size: float = 8.5) -> None:
        """Write the head of an entry on a shaded band, with a few words at its right end."""
        aside = self.wrapped(right, size, WIDTH * 0.4)
        lines = self.wrapped(text, size, WIDTH * 0.6 - 4)
        step = size * 0.47
        height = max(len(lines), len(aside)) * step + 2
        self.room(height + 10)
        top = self.get_y()
        self.set_fill_color(*HEAD)
        self.rect(MARGIN, top, WIDTH, height, style="F")
        for number, line in enumerate(lines):
            self._line(MARGIN + 1.2, top + 1 + number * step, line, size, JADE, bold=True)
        for number, line in enumerate(aside):
            self.set_font(_FAMILY, size=size)
            at = MARGIN + WIDTH - 1.2 - self.get_string_width(line)
            self._line(at, top + 1 + number * step, line, size, JADE, bold=True)
        self.set_xy(MARGIN, top + height + 1)

    def write_text(
        self,
        text: str,
        size: float = 9.0,
        colour: Colour = INK,
        *,
        bold: bool = False,
        width: float = WIDTH,
    ) -> None:
        """Write a paragraph at the current position."""
        x = self.get_x()
        for line in self.wrapped(text, size, width):
            self.room(size * 0.5)
            self._line(x, self.get_y(), line, size, colour, bold=bold)
            self.set_xy(x, self.get_y() + size * 0.5)

    def wrapped(self, text: str, size: float, width: float) -> list[str]:
        """Lines no wider than `width`: broken at spaces and between Chinese characters, never
        before a closing mark.
        """
        self.set_font(_FAMILY, size=size)
        lines: list[str] = []
        for paragraph in printable(text).split("\n"):
            line = ""
            for piece in _pieces(paragraph):
                if line and self.get_string_width(line + piece.rstrip()) > width:
                    lines.append(line.rstrip())
                    line = ""
                line += piece.lstrip() if not line else piece
                while (
                    self.get_string_width(line.rstrip()) > width and len(line) > 1
                ):  # a hash, or a word longer than the line
                    fits = max(
                        n
                        for n in range(1, len(line))
                        if n == 1 or self.get_string_width(line[:n]) <= width
                    )
                    lines.append(line[:fits])
                    line = line[fits:]
            lines.append(line.rstrip())
        return lines

    def write_table(
        self,
        head: Sequence[str],
        widths: Sequence[float],
        rows: Iterable[Sequence[Cell]],
        size: float = 8.0,
    ) -> None:
        """Write a table over the whole width; rows are never split and each page repeats the head.

        Args:
            head: words of the first row.
            widths: widths of the columns, as shares; they are scaled to the page.
            rows: cells.
            size: size of the letters, points.
        """
        scale = WIDTH / sum(widths)
        columns = [share * scale for share in widths]
        header = [text_cell(words, JADE) for words in head]
        for number, row in enumerate(rows):
            if number == 0:  # the head never stands alone at the foot of a page
                both = self._height(header, columns, size) + self._height(row, columns, size)
                self.room(both)
                self._row(header, columns, size, fill=True)
            if self.get_y() + self._height(row, columns, size) > _BOTTOM:
                self.add_page()
                self._row(header, columns, size, fill=True)
            self._row(row, columns, size)

    def _height(self, row: Sequence[Cell], columns: Sequence[float], size: float) -> float:
        return (
            max(
                self._cell_height(cell, width, size)
                for cell, width in zip(row, columns, strict=True)
            )
            + 2.2
        )

    def _cell_height(self, cell: Cell, width: float, size: float) -> float:
        lines = sum(len(self.wrapped(words, size, width - 2.4)) for words, _ in cell.paragraphs)
        return lines * size * 0.47 + (8.6 if cell.tiles else 0)

    def _row(
        self, row: Sequence[Cell], columns: Sequence[float], size: float, *, fill: bool = False
    ) -> None:
        height = self._height(row, columns, size)
        self.room(height)
        x, top = MARGIN, self.get_y()
        if fill:
            self.set_fill_color(*HEAD)
            self.rect(x, top, WIDTH, height, style="F")
        for cell, width in zip(row, columns, strict=True):
            y = top + 1.1
            for words, colour in cell.paragraphs:
                for line in self.wrapped(words, size, width - 2.4):
                    at = x + width - 1.2 - self.get_string_width(line) if cell.right else x + 1.2
                    self._line(at, y, line, size, colour, bold=fill)
                    y += size * 0.47
            for number, tile in enumerate(cell.tiles):
                self.tile(DrawnTile(tile), x + 1.2 + number * 6.2, y + 0.4, 5.6)
            x += width
        self.set_draw_color(*LINE)
        self.line(MARGIN, top + height, MARGIN + WIDTH, top + height)
        self.set_xy(MARGIN, top + height)

    def _line(
        self, x: float, y: float, text: str, size: float, colour: Colour, *, bold: bool = False
    ) -> None:
        """Write one line. Bold letters are drawn with an outline: the font has only one weight."""
        if not text:
            return
        self.set_font(_FAMILY, size=size)
        self.set_text_color(*colour)
        self.set_xy(x, y)
        if not bold:
            self.cell(None, size * 0.47, text)
            return
        self.set_draw_color(*colour)
        with self.local_context(text_mode="FILL_STROKE", line_width=size * 0.012):
            self.cell(None, size * 0.47, text)

    def tile(self, drawn: DrawnTile, x: float, y: float, width: float) -> None:
        """Draw a tile: body, face, and an outline where it is marked."""
        height = width * 4 / 3
        self.set_fill_color(*_IVORY)
        self.set_draw_color(*LINE)
        self.set_line_width(0.2)
        self.rect(x, y, width, height, style="DF", round_corners=True, corner_radius=width * 0.12)
        inset = width * 0.07
        self.image(_face(drawn.tile), x + inset, y + inset * 4 / 3, width - 2 * inset)
        if drawn.mark is not None:
            self.set_draw_color(*drawn.mark)
            self.set_line_width(0.6)
            self.rect(
                x - 0.3,
                y - 0.3,
                width + 0.6,
                height + 0.6,
                style="D",
                round_corners=True,
                corner_radius=width * 0.14,
            )
            self.set_line_width(0.2)

    def tiles(self, groups: Sequence[tuple[str, Sequence[DrawnTile]]], width: float = 8.6) -> None:
        """Draw groups of tiles in rows, each below its name; all on one page."""
        step, high, gap = width + 0.5, width * 4 / 3 + 6, 5.0
        rows: list[list[tuple[float, str, Sequence[DrawnTile]]]] = [[]]
        x = 0.0
        self.set_font(_FAMILY, size=7)
        for name, group in groups:
            wide = max(len(group) * step, self.get_string_width(printable(name)))
            if x + wide > WIDTH and rows[-1]:
                rows.append([])
                x = 0.0
            rows[-1].append((MARGIN + x, name, group))
            x += wide + gap
        self.room(len(rows) * high)
        for row in rows:
            y = self.get_y()
            for left, name, group in row:
                self._line(left, y, printable(name), 7, SOFT)
                for number, drawn in enumerate(group):
                    self.tile(drawn, left + number * step, y + 4.2, width)
            self.set_xy(MARGIN, y + high)

    def picture(self, data: bytes, width: int, height: int, highest: float) -> None:
        """Draw a JPEG over the width of the page, no higher than `highest`."""
        scale = min(WIDTH / width, highest / height)
        self.room(height * scale + 2)
        top = self.get_y()
        self.image(
            io.BytesIO(data),
            MARGIN + (WIDTH - width * scale) / 2,
            top,
            width * scale,
            height * scale,
        )
        self.set_xy(MARGIN, top + height * scale + 1.5)

    def qr(self, text: str, x: float, y: float, side: float) -> None:
        """Draw a QR code as squares."""
        rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix_iter(border=2)]
        step = side / len(rows)
        self.set_fill_color(0, 0, 0)
        for i, row in enumerate(rows):
            starts = [j for j, dark in enumerate(row) if dark and (j == 0 or not row[j - 1])]
            for start in starts:
                end = next((j for j in range(start, len(row)) if not row[j]), len(row))
                self.rect(x + start * step, y + i * step, (end - start) * step, step, style="F")

    def bytes(self) -> bytes:
        """Return the finished document."""
        return bytes(self.output())


def text_cell(text: str, colour: Colour = INK, *, right: bool = False) -> Cell:
    """Build a cell with one paragraph."""
    return Cell(((text, colour),) if text else (), right=right)


def printable(text: str) -> str:
    """Replace what the font cannot show: other characters by ``[U+2A700]``, control characters by
    spaces.
    """
    known = _characters()
    shown = (
        char
        if char == "\n" or char in known
        else " "
        if unicodedata.category(char) == "Cc"
        else f"[U+{ord(char):04X}]"
        for char in text
    )
    return "".join(shown)


@cache
def _characters() -> frozenset[str]:
    with TTFont(PATH) as font:
        return frozenset(map(chr, font.getBestCmap()))


@cache
def _face(tile: Tile) -> Pillow.Image:
    """Draw the face on the tile's ivory; the back fills it."""
    pixels = face_rgba(tile, _FACE_HEIGHT)
    alpha = pixels[:, :, 3:].astype(np.float32) / 255
    flat = pixels[:, :, :3] * alpha + np.array(_IVORY, np.float32) * (1 - alpha)
    return Pillow.fromarray(flat.astype(np.uint8))


def _pieces(text: str) -> list[str]:
    """Split a text where a line may break: after a space, and between characters of which one is
    wide, except before closing and after opening marks.
    """
    found: list[str] = []
    start = 0
    for at, (a, b) in enumerate(pairwise(text), 1):
        wide = unicodedata.east_asian_width(a) in "WF" or unicodedata.east_asian_width(b) in "WF"
        if a == " " or (wide and b != " " and b not in _NO_START and a not in _NO_END):
            found.append(text[start:at])
            start = at
    found.append(text[start:])
    return found
