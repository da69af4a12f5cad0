"""Draws the chart of a review as SVG: win shares over the plies with marks for errors, and luck below."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, takewhile

from clerestory.engine.core import NATURE
from clerestory.search.review.annotation import Annotation
from clerestory.search.review.classes import GLYPHS
from clerestory.search.review.ledger import UNIT, PlyValuation
from clerestory.search.review.words import TENTH, percent, place, tell, verdict, winners

LEFT, RIGHT, TOP, GAP = 42, 8, 20, 26  # margins around and between the two panels
BADGE = 9  # radius of an error mark
LETTER = 7.5, 12  # width of most letters or less, and height
LARGEST_BAR = UNIT // 20  # smallest luck that fills the lower panel

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """The layout of a chart.

    Attributes:
        review: the review to show.
        width: width of the picture, in its own units; letters are 12 units high.
        high: height of the panel of shares.
        low: height of the panel of luck.
    """

    review: Annotation
    width: int
    high: int
    low: int

    def x(self, ply: float) -> float:
        """Return the horizontal position of a ply."""
        return LEFT + (self.width - LEFT - RIGHT) * ply / max(self.review.plies, 1)

    def y(self, units: float) -> float:
        """Return the vertical position of a share of the win; the first seat is on top."""
        return TOP + self.high * units / UNIT

    @property
    def zero(self) -> float:
        """The vertical position of zero luck."""
        return TOP + self.high + GAP + self.low / 2

    @property
    def height(self) -> float:
        """The height of the picture."""
        return TOP + self.high + GAP + self.low + 24

    def svg(self) -> str:
        """Return the picture."""
        parts = [*self.rounds(), *self.areas(), *self.axes(), *self.marks(), *self.bars()]
        text = escape(tell(self.review, "chart", count=self.review.plies))
        return (
            f'<svg viewBox="0 0 {self.width} {self.height:.0f}" role="img" aria-label="{text}" '
            f'font-size="12">{"".join(parts)}</svg>'
        )

    def rounds(self) -> Iterator[str]:
        """Yield the number of each round above its plies, and a line where it begins."""
        for number, group in groupby(self.review.valuations, key=lambda one: one.round):
            x = self.x(next(group).ply - 1)
            if number:
                yield f'<text class="soft" x="{x + 3:.1f}" y="{TOP - 6}">{number}</text>'

    def shares(self) -> list[tuple[float, Sequence[int]]]:
        """Return the plies at which the shares are known, in order, with the shares."""
        valuations = self.review.valuations
        start = valuations[0].before if valuations else self.review.final
        known = [(self.x(0), start), *((self.x(one.ply), one.after) for one in valuations)]
        return [*known, (self.x(self.review.plies), self.review.final)]

    def areas(self) -> Iterator[str]:
        """Yield the area of each seat, then the names."""
        known, names = self.shares(), []
        for seat, name in enumerate(self.review.names):
            upper = [(x, self.y(sum(shares[:seat]))) for x, shares in known]
            lower = [(x, self.y(sum(shares[: seat + 1]))) for x, shares in known]
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*upper, *reversed(lower)])
            yield f'<polygon points="{points}" fill="{self.review.colours[seat]}"/>'
            names.append(self.name_of(name, upper, lower))
        yield from names

    def name_of(self, name: str, upper: list[Point], lower: list[Point]) -> str:
        """Return a seat's name as text where its area is tallest and free of marks, preferably in the middle."""
        end, wide = max(len(upper) - len(upper) // 6, 1), len(name) * LETTER[0]
        for plies in (range(len(upper) // 12, end), range(end)):
            spots = (self.spot(upper[ply:], lower[ply:], wide) for ply in plies)
            free = [(tall, x, y) for tall, x, y in spots if tall > LETTER[1] and not self.is_marked(x, y, wide)]
            if free:
                _, x, y = max(free, key=lambda spot: spot[0])
                return f'<text class="name" x="{x:.1f}" y="{y:.1f}">{escape(name)}</text>'
        return ""  # the tables below show the colours

    def spot(self, upper: list[Point], lower: list[Point], wide: float) -> tuple[float, float, float]:
        """Return the height of an area over the width of a text at the start of its borders, and its position."""
        x = min(upper[0][0], self.width - RIGHT - wide)
        reach = max(x + wide, upper[0][0])
        top = max(y for _, y in takewhile(lambda point: point[0] <= reach, upper))
        bottom = min(y for _, y in takewhile(lambda point: point[0] <= reach, lower))
        return bottom - top, x, (top + bottom) / 2 + 4

    def is_marked(self, x: float, y: float, wide: float) -> bool:
        """Whether an error mark would cover part of a text that begins at a position."""
        return any(
            x - BADGE < left < x + wide + BADGE and y - LETTER[1] - BADGE < top < y + BADGE
            for left, top in map(self.mark, self.review.errors())
        )

    def mark(self, one: PlyValuation) -> tuple[float, float]:
        """Return the centre of an error mark: in the area of the seat that made the error."""
        above = sum(one.after[: one.seat])
        return self.x(one.ply), self.y(above + one.after[one.seat] / 2)

    def axes(self) -> Iterator[str]:
        """Yield the scale of the shares, the caption of the lower panel, and the names of the axes."""
        for part in range(5):
            y = self.y(UNIT * part / 4)
            yield f'<line class="grid" x1="{LEFT}" x2="{self.width - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            size = escape(tell(self.review, "chart.percent", size=25 * part))
            yield f'<text class="soft" x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{size}</text>'
        yield f'<line class="axis" x1="{LEFT}" x2="{self.width - RIGHT}" y1="{self.zero:.1f}" y2="{self.zero:.1f}"/>'
        y = TOP + self.high + GAP - 8
        legend = tell(self.review, "chart.luck", size=percent(self.review, self.scale // TENTH))
        yield f'<text class="soft" x="{LEFT}" y="{y}">{escape(legend)}</text>'
        axes = escape(tell(self.review, "chart.axes"))
        yield f'<text class="soft" x="{LEFT}" y="{self.height - 6:.1f}">{axes}</text>'

    def marks(self) -> Iterator[str]:
        """Yield a glyph for each error."""
        for one in self.review.errors():
            x, y = self.mark(one)
            glyph = GLYPHS[self.review.class_of(one)]
            where, who = place(self.review, one), self.review.names[one.seat]
            arguments = {"where": where, "who": who, "what": one.label, "verdict": verdict(self.review, one)}
            caption = tell(self.review, "chart.error", **arguments)
            yield (
                f"<g><title>{escape(caption)}</title>"
                f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="{BADGE}"/>'
                f'<text class="glyph" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{glyph}</text></g>'
            )

    @property
    def scale(self) -> int:
        """The luck that fills the lower panel, in millionths."""
        events = (one for one in self.review.valuations if one.seat == NATURE)
        return max([LARGEST_BAR, *(max(map(abs, one.change)) for one in events)])

    def bars(self) -> Iterator[str]:
        """Yield two bars for each chance event: for the seat that it helped most and the one that it hurt most."""
        for one in self.review.valuations:
            if one.seat == NATURE:
                arguments = {"where": place(self.review, one), "what": one.label, "winners": winners(self.review, one)}
                yield f"<g><title>{escape(tell(self.review, 'chart.event', **arguments))}</title>"
                for seat in sorted({one.change.index(max(one.change)), one.change.index(min(one.change))}):
                    yield self.bar(one, seat)
                yield "</g>"

    def bar(self, one: PlyValuation, seat: int) -> str:
        """Return a seat's luck in an event, as a bar."""
        height = self.low / 2 * one.change[seat] / self.scale
        y = self.zero - max(height, 0)
        return (
            f'<rect x="{self.x(one.ply) - 1.5:.1f}" y="{y:.1f}" width="3" height="{abs(height):.1f}" '
            f'fill="{self.review.colours[seat]}"/>'
        )
