"""Draws icon.svg as PNG files, for home screens. It knows the shapes of that file: rectangle, circle and path."""

import math
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from xml.etree import ElementTree

LINES = 4  # of a row of pixels; their coverage of each pixel is exact
STEPS = 24  # of a quarter of a circle
SAFE = 0.8  # share of the width that no mask of a home screen cuts off
COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
NUMBER = re.compile(r"-?[\d.]+")

Point = tuple[float, float]


def png(svg: Path, size: int, *, maskable: bool = False) -> bytes:
    """Return a square picture as a PNG file; the first shape of a maskable one fills the square."""
    root = ElementTree.parse(svg).getroot()
    width = float(root.attrib["viewBox"].split()[2])
    rows = [bytearray(4 * size) for _ in range(size)]
    ground, *others = (element.attrib for element in root if "fill" in element.attrib)
    fill(rows, scaled(polygon({**ground, "rx": "0"} if maskable else ground), width, size), ground["fill"])
    for shape in others:
        fill(rows, scaled(polygon(shape), width, size, SAFE if maskable else 1), shape["fill"])
    return encoded(rows)


def scaled(points: Iterable[Point], width: float, size: int, part: float = 1) -> list[Point]:
    """Return points of a picture in pixels, shrunk around its middle to a part of it."""
    return [(size * (0.5 + part * (x / width - 0.5)), size * (0.5 + part * (y / width - 0.5))) for x, y in points]


# -- shapes ------------------------------------------------------------------------------------------


def polygon(shape: dict[str, str]) -> list[Point]:
    """Return the outline of a shape."""
    if "d" in shape:
        return path(shape["d"])
    if "r" in shape:
        return arc(float(shape["cx"]), float(shape["cy"]), float(shape["r"]), 0, 4)
    width, height, radius = (float(shape[name]) for name in ("width", "height", "rx"))
    corners = [(width - radius, height - radius), (radius, height - radius), (radius, radius), (width - radius, radius)]
    return [point for quarter, corner in enumerate(corners) for point in arc(*corner, radius, quarter, 1)]


def arc(x: float, y: float, radius: float, first: int, quarters: int) -> list[Point]:
    """Return points of an arc, clockwise from the right or from a later quarter of the circle."""
    angles = [math.pi / 2 * (first + step / STEPS) for step in range(quarters * STEPS + 1)]
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]


def path(data: str) -> list[Point]:
    """Return the points of a path: M, V, h, v, l, z, and a for an arch from right to left."""
    points: list[Point] = []
    for command, text in COMMAND.findall(data):
        numbers = [float(number) for number in NUMBER.findall(text)]
        x, y = points[-1] if points else (0.0, 0.0)
        if command == "l":
            for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
                points.append((points[-1][0] + dx, points[-1][1] + dy))
        elif command == "a":
            points += arc(x - numbers[0], y, numbers[0], 2, 2)[::-1]
        elif command != "z":
            ends = {"M": numbers[:2], "V": (x, numbers[0]), "h": (x + numbers[0], y), "v": (x, y + numbers[0])}
            points.append((ends[command][0], ends[command][-1]))
    return points


# -- pixels ------------------------------------------------------------------------------------------


def fill(rows: Sequence[bytearray], points: list[Point], colour: str) -> None:
    """Draw a polygon over rows of pixels: red, green, blue and opacity of each."""
    edges = [*pairwise([*points, points[0]])]
    ink = bytes.fromhex(f"{colour[1:]}ff")
    for y, row in enumerate(rows):
        covered = [0.0] * (len(rows) + 1)
        for line in range(LINES):
            cover(covered, [*crossings(edges, y + (line + 0.5) / LINES)])
        draw(row, covered, ink)


def crossings(edges: Iterable[tuple[Point, Point]], y: float) -> Iterator[float]:
    """Yield where a horizontal line crosses edges."""
    for (x1, y1), (x2, y2) in edges:
        if min(y1, y2) <= y < max(y1, y2):
            yield x1 + (y - y1) * (x2 - x1) / (y2 - y1)


def cover(covered: list[float], found: list[float]) -> None:
    """Add how much of each pixel is inside, given where a line crosses edges."""
    found.sort()
    for start, end in zip(found[::2], found[1::2], strict=True):
        for x in range(int(start), int(end) + 1):
            covered[x] += max(min(end, x + 1) - max(start, x), 0)


def draw(row: bytearray, covered: Sequence[float], ink: bytes) -> None:
    """Draw over the covered parts of the pixels of a row."""
    at = 0
    for share, pixels in groupby(covered):
        end = at + 4 * len([*pixels])
        for place in range(at, end if 0 < share < LINES else at, 4):
            row[place : place + 4] = mixed(row[place : place + 4], ink, share / LINES)
        if share == LINES:
            row[at:end] = ink * ((end - at) // 4)
        at = end


def mixed(old: bytes, ink: bytes, share: float) -> bytes:
    """Return a pixel that is covered in part."""
    if not old[3]:
        return bytes((*ink[:3], round(255 * share)))
    return bytes(round(one + (other - one) * share) for one, other in zip(old, ink, strict=True))


def encoded(rows: Sequence[bytes]) -> bytes:
    """Return rows of pixels as a PNG file."""
    head = struct.pack(">IIBBBBB", len(rows), len(rows), 8, 6, 0, 0, 0)
    content = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    parts = [kind + data for kind, data in ((b"IHDR", head), (b"IDAT", content), (b"IEND", b""))]
    chunks = (struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
