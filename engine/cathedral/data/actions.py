"""The action codes: the number of each kind and their texts. codes.pxd has their first codes."""

from itertools import combinations, product

from clerestory.engine.cathedral.data import codes
from clerestory.engine.cathedral.data.catalogue import ONCE, CathedralCatalogue
from clerestory.engine.cathedral.data.constants import (
    LOWEST_ROLL,
    METAL_CUBES,
    MOST_SOLD,
    MOST_USES,
    ROLLS,
    STARTING,
    STOCK,
)
from clerestory.engine.cathedral.data.names import COLOURS, LOCATIONS, TYPES, Names, names_of
from clerestory.engine.shared.actions import ActionKind, Named, named, plain, single, texts

NAMED_TYPES = named(TYPES)
TIMES = (
    Named("1", "once"),
    Named("2", "twice"),
    *(Named(str(times), f"{times} times") for times in range(3, MOST_USES + 1)),
)
NAMED_COLOURS = named(COLOURS)


def nature_kinds(names: Names) -> list[ActionKind]:
    """Return Nature's actions."""
    return [
        single(codes.TURN_UP_ADVANTAGE, "advantage {}", "{} is turned up at Kingsbridge", names.advantages),
        single(codes.TURN_UP_CRAFTSMAN, "craftsman {}", "{} is turned up at Shiring", names.craftsmen[STARTING:]),
        ActionKind(codes.LEAVE_OUT, "leave-out {} {}", "left out: {}; {}", tuple(combinations(names.resources, 2))),
        single(codes.DRAW, "draw {}", "a {} builder is drawn", NAMED_COLOURS),
        single(codes.TURN_UP_EVENT, "event {}", "the event: {}", names.events),
        single(codes.ROLL, "roll {}", "the tax is {}", named(range(LOWEST_ROLL, LOWEST_ROLL + ROLLS))),
    ]


def draft_kinds(names: Names) -> list[ActionKind]:
    """Return a seat's actions in the draft, and wherever a craftsman is dismissed."""
    return [
        single(codes.TAKE, "take {}", "send workers: {}", names.resources),
        single(codes.HIRE, "hire {}", "hire the {}", names.craftsmen[STARTING:]),
        plain(codes.PASS, "pass", "pass: no more cards this round"),
        single(codes.DISMISS, "dismiss {}", "dismiss the {}", names.craftsmen),
    ]


def builder_kinds(once: list[Named]) -> list[ActionKind]:
    """Return actions with builders and with single-use cards."""
    remigius, thomas, exemption = once
    return [
        plain(codes.REDRAW, "redraw", "return the builder to the bag and draw again"),
        plain(codes.ACCEPT, "accept", "let the draw stand"),
        ActionKind(codes.PLACE, "place {} {}", "place a {} builder: {}", tuple(product(NAMED_COLOURS, LOCATIONS))),
        single(codes.WAIT, "wait {}", "pass: the {} builder waits", NAMED_COLOURS),
        single(codes.USE_REMIGIUS, "use {}", "use {}: this builder is placed free", [remigius]),
        single(codes.USE_THOMAS, "use {}", "use {}: be spared by the event", [thomas]),
        single(codes.USE_EXEMPTION, "use {}", "use {}: pay no tax", [exemption]),
        single(codes.SAVE_THOMAS, "save {}", "keep {} for later", [thomas]),
        single(codes.SAVE_EXEMPTION, "save {}", "keep {} for later", [exemption]),
    ]


def board_kinds(names: Names) -> list[ActionKind]:
    """Return a seat's actions from the event to the cathedral."""
    most = {"metal": METAL_CUBES}
    sales = [(thing, n) for thing in NAMED_TYPES for n in named(range(1, most.get(thing.id, MOST_SOLD) + 1))]
    uses = product(names.craftsmen, TIMES)
    return [
        plain(codes.PROTECT, "protect", "take the archbishop's protection"),
        plain(codes.DECLINE, "decline", "take no protection"),
        single(codes.GAIN, "gain {}", "gain 1 {}", NAMED_TYPES[:3]),
        single(codes.DISCARD, "discard {}", "discard 1 {}", NAMED_TYPES),
        ActionKind(codes.BUY, "buy {} {}", "buy {1} {0}", tuple(product(NAMED_TYPES[:3], named(range(1, STOCK + 1))))),
        ActionKind(codes.SELL, "sell {} {}", "sell {1} {0}", tuple(sales)),
        plain(codes.LEAVE, "leave", "leave the market"),
        ActionKind(codes.CONVERT, "convert {} {}", "use the {}, {}", tuple(uses)),
        plain(codes.FINISH, "finish", "finish converting"),
    ]


def actions(catalogue: CathedralCatalogue) -> list[tuple[str, str]]:
    """Return (text, label) of each action code, in order."""
    names = names_of(catalogue)
    advantages = {thing.id: thing for thing in names.advantages}
    once = [advantages[catalogue.kind_of(effect)] for effect in ONCE]
    return texts([*nature_kinds(names), *draft_kinds(names), *builder_kinds(once), *board_kinds(names)])
