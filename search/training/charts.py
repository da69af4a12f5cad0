"""SVG charts without a library or scripts: a few curves in one frame, with axes and a legend."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 460, 280
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 34, 66  # margins of the frame
TICKS = 5  # on an axis, approximately
LEGEND = 3  # entries in a row


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve.

    Attributes:
        name: name in the legend.
        points: points (x, y).
        errors: lower and upper end of the interval of each point; () for none.
        plain: whether to draw a thin line without marks, for comparison.
    """

    name: str
    points: Sequence[tuple[float, float]]
    errors: Sequence[tuple[float, float]] = ()
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """The mapping from numbers to places in a chart."""

    low_x: float
    high_x: float
    low_y: float
    high_y: float

    def x(self, value: float) -> float:
        """Return the horizontal place of a number."""
        return LEFT + (value - self.low_x) / (self.high_x - self.low_x) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Return the vertical place of a number."""
        inside = min(max(value, self.low_y), self.high_y)
        return HEIGHT - BOTTOM - (inside - self.low_y) / (self.high_y - self.low_y) * (HEIGHT - TOP - BOTTOM)


def chart(title: str, across: str, up: str, curves: Sequence[Curve], *, whole: bool = False) -> str:
    """Return an SVG picture.

    Args:
        title: title above the chart.
        across: name of the lower axis.
        up: name of the left axis.
        curves: curves with at least one point in total.
        whole: whether the lower axis only shows integers.
    """
    frame, steps = frame_of(curves, whole=whole)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        words(WIDTH / 2, 18, title, "title"),
        *axis_across(frame, across, steps[0]),
        *axis_up(frame, up, steps[1]),
        *(part for number, curve in enumerate(curves) for part in drawn(frame, curve, number)),
        *(part for number, curve in enumerate(curves) for part in entry(curve, number)),
        "</svg>",
    ]
    return "\n".join(parts)


def frame_of(curves: Sequence[Curve], *, whole: bool) -> tuple[Frame, tuple[float, float]]:
    """Return a frame that contains all curves and ends at ticks, and the distances between ticks."""
    xs = [x for curve in curves for x, _ in curve.points]
    ys = [y for curve in curves for _, y in curve.points]
    ys += [end for curve in curves for ends in curve.errors for end in ends]
    across = max(step_of(min(xs), max(xs)), 1.0 if whole else 0.0)
    up = step_of(min(ys), max(ys))
    low_x, high_x = (min(xs) - 0.3, max(xs) + 0.3) if whole else outward(min(xs), max(xs), across)
    return Frame(low_x, high_x, *outward(min(ys), max(ys), up)), (across, up)


def step_of(low: float, high: float) -> float:
    """Return a distance of ticks that is 1, 2 or 5 times a power of ten."""
    rough = max(high - low, 1e-6) / TICKS
    power: float = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)


def outward(low: float, high: float, step: float) -> tuple[float, float]:
    """Return the multiples of a step around a range."""
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return first * step, max(last, first + 1) * step


def ticks(low: float, high: float, step: float) -> Iterable[float]:
    """Return the multiples of a step in a range."""
    return (number * step for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1))


# -- parts -----------------------------------------------------------------------------------------


def words(x: float, y: float, text: str, kind: str, turn: str = "") -> str:
    """Return a text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}"{turn}>{escape(text)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return a line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def axis_across(frame: Frame, name: str, step: float) -> Iterable[str]:
    """Return the lower axis."""
    bottom = HEIGHT - BOTTOM
    yield line(LEFT, bottom, WIDTH - RIGHT, bottom, "axis")
    for tick in ticks(frame.low_x, frame.high_x, step):
        yield line(frame.x(tick), bottom, frame.x(tick), bottom + 4, "axis")
        yield words(frame.x(tick), bottom + 16, f"{tick:.4g}", "tick middle")
    yield words((LEFT + WIDTH - RIGHT) / 2, bottom + 31, name, "middle")


def axis_up(frame: Frame, name: str, step: float) -> Iterable[str]:
    """Return the left axis, with a horizontal line for each tick."""
    for tick in ticks(frame.low_y, frame.high_y, step):
        yield line(LEFT, frame.y(tick), WIDTH - RIGHT, frame.y(tick), "grid")
        yield words(LEFT - 6, frame.y(tick) + 4, f"{tick:.4g}", "tick end")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield words(13, middle, name, "middle", f' transform="rotate(-90 13 {middle:.1f})"')


def drawn(frame: Frame, curve: Curve, number: int) -> Iterable[str]:
    """Return a curve with its marks and intervals."""
    kind = "plain" if curve.plain else f"c{number % 8}"
    path = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in curve.points)
    yield f'<polyline points="{path}" class="curve {kind}"/>'
    for (x, _), (low, high) in zip(curve.points, curve.errors or (), strict=False):
        yield line(frame.x(x), frame.y(low), frame.x(x), frame.y(high), f"curve {kind}")
    if not curve.plain:
        for x, y in curve.points:
            yield f'<circle cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="2.6" class="mark {kind}"/>'


def entry(curve: Curve, number: int) -> Iterable[str]:
    """Return the entry of a curve in the legend."""
    kind = "plain" if curve.plain else f"c{number % 8}"
    x = LEFT + number % LEGEND * (WIDTH - LEFT - RIGHT) / LEGEND
    y = HEIGHT - BOTTOM + 47 + number // LEGEND * 14
    yield line(x, y - 4, x + 16, y - 4, f"curve {kind}")
    yield words(x + 20, y, curve.name, "tick")
