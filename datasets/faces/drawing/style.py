"""What may differ between one tile set and the next.

The default ``Style()`` is the project's own set, the one in datasets/faces/art;
``variety.random_style`` draws others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from hupai.datasets.faces.drawing import fonts
from hupai.datasets.faces.drawing.fonts import Font


class Index(Enum):
    """The place of the small Arabic digit or wind letter."""

    NONE = "none"
    LEFT = "top left"
    RIGHT = "top right"
    INSIDE = "between the circles of the 4, else top left"


class WhiteDragon(Enum):
    """How the white dragon is marked."""

    BLANK = "blank"
    SINGLE = "one frame"
    DOUBLE = "double frame, joined at the corners"
    BROKEN = "frame of broken lines"
    ORNATE = "frame with cut corners and dashes inside"
    CHARACTER = "the character 白"
    LETTER = "a Latin letter"


class Dot(Enum):
    """The design of a circle."""

    RINGS = "concentric rings"
    PETALS = "petals in a ring"
    CROSS = "disc cut by a cross"
    SOLID = "disc with a thin ring"
    COIN = "ring with a square hole"
    WHEEL = "ring with spokes"


class BigDot(Enum):
    """The design of the one of dots."""

    ROSETTE = "petals round a flower"
    TARGET = "rings of three colours"
    WHEEL = "disc with petals cut out"
    SUN = "rays round a flower"


class Stick(Enum):
    """The design of a bamboo stick."""

    JOINTED = "two swelling halves with a slit"
    SCALLOPED = "wavy outline with a slit"
    BEADS = "three beads"
    BONES = "bars with end caps"
    OUTLINED = "hollow halves with a thick outline"
    PLAIN = "rounded bar with a joint"


class Bird(Enum):
    """The bird of the one of bamboo."""

    PEACOCK = "peacock"
    SPARROW = "sparrow"
    CRANE = "crane"
    PHOENIX = "phoenix"


class Flowers(Enum):
    """What is drawn on flower tiles."""

    THEMED = "each its own plant"
    SPRAYS = "a spray of the same flower in eight arrangements"


class FlowerFace(Enum):
    """How the face of a flower is laid out."""

    PICTURE = "a picture below its character and its number"
    EMBLEM = "a simple sign in one or two paints, with a small character and number"
    CHARACTER = "a large character alone"
    HALVES = "a large character and a small picture, each on half of the tile"


@dataclass(frozen=True)
class Palette:
    """Paint, as SVG colours.

    ``ink`` is that of numerals and winds, ``frame`` that of the white dragon.
    """

    red: str = "#c4202c"
    green: str = "#0f6b3c"
    blue: str = "#1d3f94"
    ink: str = "#1d3f94"
    frame: str = "#1d3f94"
    index: str = "#c4202c"


@dataclass(frozen=True)
class Style:
    """One tile set's design; the default is the project's own.

    Attributes:
        palette, font: colours, and the typeface of the characters.
        weight: how much characters are thickened, view box units.
        stretch: their width against their height.
        numeral_em, numeral_y: size of the numerals of characters, and the height of their middle,
            view box units.
        ink_scale, shift: size of the whole drawing and its place, view box units.
        stick_blue: the middle column of the 7 and parts of others are blue.
        flower_pictures: which of the eight drawings is on each of 春夏秋冬梅兰竹菊. Tile sets
            differ in this; the character identifies the flower.
        flower_text_below: whether digits and characters of flowers are in the lower corners.
        flower_green_character: whether the characters of flowers are green.
        flower_digit_below: whether only the digits are in a lower corner.
        flower_chinese_digit: whether the digits are Chinese, 一 to 四.
        flower_text_scale: their size, 1 as on the project's own set.
        flower_face: layout of flower tiles; emblems need `composed`.
        plant_order: the digits on 梅兰竹菊.
        digit_right: whether flower digits are on the right, their characters on the left.
        index_ink: size of the drawing below an index, relative to that without.
        index_size: height of the index, view box units.
        composed: seed of a bird and of pictures on flowers that are composed of random parts
            instead of those of `bird` and `flowers`; None for the latter.
        suits: seed of the design, places and colours of circles and sticks instead of `dot`,
            `big_dot` and `stick`; None for these.
        slant: how much numerals are sheared along and across, degrees, as in running hand.
        numeral_squeeze: height of numerals relative to that of `numeral_em`.
        numeral_fitted: whether each numeral fills the place that `numeral_em` gives, as do the bars
            of 二 and 三 on some sets.
        wan_scale, wan_y: size of 萬 below them, 1 as on the project's own set, and the height of
            its middle, view box units.
        second_index: the index is repeated upside down in the opposite corner.
    """

    palette: Palette = Palette()
    font: Font = field(default_factory=fonts.house_font)
    weight: float = 6.5
    stretch: float = 1.12
    numeral_em: float = 138.0
    numeral_y: float = 104.0
    ink_scale: float = 1.0
    shift: tuple[float, float] = (0.0, 0.0)
    index: Index = Index.NONE
    index_font: Font | None = None
    simplified_wan: bool = False
    simplified_fa: bool = False
    simplified_east: bool = False
    formal_five: bool = True
    white: WhiteDragon = WhiteDragon.DOUBLE
    white_letter: str = "P"
    dot: Dot = Dot.RINGS
    big_dot: BigDot = BigDot.ROSETTE
    flat_two_dots: bool = False
    dot_blue: bool = True
    mirrored_diagonals: bool = False
    stick: Stick = Stick.JOINTED
    stick_blue: bool = True
    three_sticks_down: bool = False
    eight_w_first: bool = False
    bird: Bird = Bird.PEACOCK
    mirrored_bird: bool = False
    flowers: Flowers = Flowers.THEMED
    flower_character: bool = True
    flower_digit: bool = True
    flower_pictures: tuple[int, ...] = tuple(range(8))
    flower_text_below: bool = False
    flower_text_scale: float = 1.0
    flower_digit_below: bool = False
    flower_chinese_digit: bool = False
    flower_face: FlowerFace = FlowerFace.PICTURE
    plant_order: tuple[int, int, int, int] = (1, 2, 3, 4)
    digit_right: bool = False
    traditional_orchid: bool = True
    flower_red_character: bool = False
    flower_green_character: bool = False
    back: str = "#1f7a4d"
    back_pattern: bool = True
    index_ink: float = 0.9
    index_size: float = 48.0
    composed: int | None = None
    suits: int | None = None
    slant: tuple[float, float] = (0.0, 0.0)
    numeral_squeeze: float = 1.0
    numeral_fitted: bool = False
    wan_scale: float = 1.0
    wan_y: float = 274.0
    second_index: bool = False
