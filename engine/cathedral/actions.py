"""The action codes: one table that says of each kind how many there are and what the k-th is called.

codes.pxd holds the first code of each kind for the rules; rules.pyx refuses to start where the two differ.
"""

from collections.abc import Iterable
from itertools import combinations, product
from typing import NamedTuple

from clerestory.engine.cathedral.catalogue import ONCE, Catalogue
from clerestory.engine.cathedral.names import COLOURS, LOCATIONS, TYPES, Names, Thing, names_of


class Kind(NamedTuple):
    """One kind of action: the constant of its first code, how it reads, and what each of its codes names."""

    constant: str
    text: str  # braces take ids
    label: str  # braces take names
    named: tuple[tuple[Thing, ...], ...]


def plain(constant: str, text: str, label: str) -> Kind:
    """A kind with a single action that names nothing."""
    return Kind(constant, text, label, ((),))


def single(constant: str, text: str, label: str, things: Iterable[Thing]) -> Kind:
    """A kind whose actions name one thing each."""
    return Kind(constant, text, label, tuple((thing,) for thing in things))


def counted(constant: str, text: str, label: str, counts: Iterable[int]) -> Kind:
    """A kind whose actions name a number each."""
    return single(constant, text, label, numbers(counts))


def numbers(counts: Iterable[int]) -> tuple[Thing, ...]:
    """Numbers as things."""
    return tuple(Thing(str(count), str(count)) for count in counts)


TYPE_THINGS = tuple(Thing(name, name) for name in TYPES)
TIMES = (Thing("1", "once"), Thing("2", "twice"), *(Thing(str(times), f"{times} times") for times in range(3, 11)))
COLOUR_THINGS = tuple(Thing(name, name) for name in COLOURS)


def nature_kinds(names: Names) -> list[Kind]:
    """What chance does."""
    return [
        single("TURN_UP_ADVANTAGE", "advantage {}", "{} is turned up at Kingsbridge", names.advantages),
        single("TURN_UP_CRAFTSMAN", "craftsman {}", "{} is turned up at Shiring", names.craftsmen[3:]),
        Kind("LEAVE_OUT", "leave-out {} {}", "left out: {}; {}", tuple(combinations(names.resources, 2))),
        single("DRAW", "draw {}", "a {} builder is drawn", COLOUR_THINGS),
        single("TURN_UP_EVENT", "event {}", "the event: {}", names.events),
        counted("ROLL", "roll {}", "the tax is {}", range(2, 6)),
    ]


def draft_kinds(names: Names) -> list[Kind]:
    """What a seat does in the draft, and wherever a craftsman goes."""
    return [
        single("TAKE", "take {}", "send workers: {}", names.resources),
        single("HIRE", "hire {}", "hire the {}", names.craftsmen[3:]),
        plain("PASS", "pass", "pass: no more cards this round"),
        single("DISMISS", "dismiss {}", "dismiss the {}", names.craftsmen),
    ]


def builder_kinds(once: list[Thing]) -> list[Kind]:
    """What is done with builders, and with the cards that are used once."""
    remigius, exemption, maud = once
    return [
        plain("REDRAW", "redraw", "return the builder to the bag and draw again"),
        plain("ACCEPT", "accept", "let the draw stand"),
        Kind("PLACE", "place {} {}", "place a {} builder: {}", tuple(product(COLOUR_THINGS, LOCATIONS))),
        single("WAIT", "wait {}", "pass: the {} builder waits", COLOUR_THINGS),
        single("USE_REMIGIUS", "use {}", "use {}: this builder is placed free", [remigius]),
        single("USE_EXEMPTION", "use {}", "use {}: pay no tax", [exemption]),
        single("USE_MAUD", "use {}", "use {}: trade with the general supply", [maud]),
        single("SAVE_EXEMPTION", "save {}", "keep {} for later", [exemption]),
        single("SAVE_MAUD", "save {}", "keep {} for later", [maud]),
    ]


def board_kinds(names: Names) -> list[Kind]:
    """What a seat does from the event to the cathedral."""
    sales = [(thing, n) for thing in TYPE_THINGS for n in numbers(range(1, 14 if thing.id == "metal" else 41))]
    uses = product(names.craftsmen, TIMES)
    return [
        plain("PROTECT", "protect", "take the archbishop's protection"),
        plain("DECLINE", "decline", "take no protection"),
        single("GAIN", "gain {}", "gain 1 {}", TYPE_THINGS[:3]),
        single("DISCARD", "discard {}", "discard 1 {}", TYPE_THINGS),
        counted("BUY_SAND", "buy sand {}", "buy {} sand", range(1, 16)),
        counted("BUY_WOOD", "buy wood {}", "buy {} wood", range(1, 11)),
        counted("BUY_STONE", "buy stone {}", "buy {} stone", range(1, 8)),
        Kind("SELL", "sell {} {}", "sell {1} {0}", tuple(sales)),
        plain("LEAVE", "leave", "leave the market"),
        Kind("CONVERT", "convert {} {}", "use the {}, {}", tuple(uses)),
        plain("FINISH", "finish", "finish converting"),
    ]


def kinds(catalogue: Catalogue) -> list[Kind]:
    """Return every kind of action in the order of its codes."""
    names = names_of(catalogue)
    things = {thing.id: thing for thing in names.advantages}
    once = [things[catalogue.kind_of(effect)] for effect in ONCE]
    return [*nature_kinds(names), *draft_kinds(names), *builder_kinds(once), *board_kinds(names)]


def first_codes(catalogue: Catalogue) -> dict[str, int]:
    """Return the first code of each kind by its constant, and NUM_ACTIONS."""
    codes, code = {}, 0
    for kind in kinds(catalogue):
        codes[kind.constant] = code
        code += len(kind.named)
    return codes | {"NUM_ACTIONS": code}


def actions(catalogue: Catalogue) -> list[tuple[str, str]]:
    """Return (text, label) of each action code, in order."""
    return [
        (kind.text.format(*(thing.id for thing in things)), kind.label.format(*(thing.name for thing in things)))
        for kind in kinds(catalogue)
        for things in kind.named
    ]
