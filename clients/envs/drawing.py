"""Draws a position as an array of pixels: a bar for the score of each seat, and the position as a table."""

import re
import textwrap
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from clerestory.engine import State
from clerestory.engine.shared.colours import COLOURS, DRAWN

COLUMNS, ROWS = 96, 36  # of characters; a longer table makes the picture higher
CELL = 6, 11  # pixels of a character of the font
SCALE = 2  # pixels of the picture for a pixel of the font
MARGIN = 12  # pixels of the font
BAR = 14  # height, likewise
PAPER, INK, SHADE = "#fbfaf7", "#222222", "#e4e0d8"
SEAT = re.compile(rf"\b(?:{'|'.join(COLOURS)})\b")


def picture_of(state: State) -> NDArray[np.uint8]:
    """Return a picture of a position as it is, so observe it first: uint8 (height, width, 3).

    Pictures of the same size follow each other as long as the table has at most ROWS lines.
    """
    lines = [part for line in str(state).splitlines() for part in wrapped(line)]
    top = 2 * MARGIN + BAR * state.seats
    width = 2 * MARGIN + COLUMNS * CELL[0]
    image = Image.new("RGB", (width, top + max(ROWS, len(lines)) * CELL[1] + MARGIN), PAPER)
    pen = ImageDraw.Draw(image)
    pen.font = ImageFont.load_default_imagefont()
    draw_scores(pen, state, width - 2 * MARGIN)
    for row, line in enumerate(lines):
        draw_line(pen, line, top + row * CELL[1])
    return np.asarray(image.resize((SCALE * image.width, SCALE * image.height), Image.Resampling.NEAREST))


def wrapped(line: str) -> list[str]:
    """Return a line of the table as lines that fit."""
    return textwrap.wrap(line, COLUMNS, subsequent_indent="    ", replace_whitespace=False) or [""]


def draw_scores(pen: ImageDraw.ImageDraw, state: State, width: int) -> None:
    """Draw a bar for the score of each seat, in proportion to the best one; the seat to decide has a frame."""
    scores = state.current_scores()
    best = max(1.0, *scores)
    for seat, score in enumerate(scores):
        top = MARGIN + BAR * seat
        long = round((width - 10 * CELL[0]) * max(0.0, score) / best)
        pen.rectangle((MARGIN, top, MARGIN + long, top + BAR - 4), fill=DRAWN[COLOURS[seat]])
        if seat == state.turn:
            pen.rectangle((MARGIN - 3, top - 2, MARGIN + width, top + BAR - 2), outline=INK)
        pen.text((MARGIN + long + CELL[0], top), f"{score:g}", fill=INK)


def draw_line(pen: ImageDraw.ImageDraw, line: str, top: int) -> None:
    """Draw a line of the table, the names of seats underlined in their colours."""
    pen.text((MARGIN, top), line, fill=INK)
    for column, colour in seats_in(line):
        left = MARGIN + column * CELL[0]
        pen.line(
            (left, top + CELL[1] - 1, left + len(colour) * CELL[0] - 2, top + CELL[1] - 1), fill=DRAWN[colour], width=2
        )


def seats_in(line: str) -> Iterator[tuple[int, str]]:
    """Yield the columns of the names of seats in a line, and the names."""
    yield from ((found.start(), found[0]) for found in SEAT.finditer(line))
