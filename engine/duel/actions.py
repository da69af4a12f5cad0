"""The action codes: one table that says of each kind how many there are and what the k-th is called.

codes.pxd holds the first code of each kind for the rules; rules.pyx refuses to start where the two differ. Only
the last range, two codes for each card, is as long as the catalogue.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from clerestory.engine.duel.catalogue import CHIPS_OF_KIND, Catalogue
from clerestory.engine.duel.names import CHIPS, LINES, MATERIALS, PLACES, SEALS, SECTIONS, Card, Thing, names_of


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


def things(names: Iterable[str]) -> tuple[Thing, ...]:
    """Things that are called in labels as in texts."""
    return tuple(Thing(name, name) for name in names)


CHIP_THINGS = things(CHIPS)
MATERIAL_THINGS = things(MATERIALS)
SEAL_THINGS = things(SEALS)
PLACE_THINGS = tuple(Thing(place, f"row {place[0]}, column {place[2]}") for place in PLACES)
SECTION_THINGS = tuple(Thing(section, f"section {section}") for section in SECTIONS)
NO_ORE = 4  # the first kinds of chips are all but ore


def sets_of_materials() -> list[tuple[str, ...]]:
    """Return what can be placed at once, as far as there are chips: one, two or three materials, in order."""
    chosen = [wanted for size in (1, 2, 3) for wanted in combinations_with_replacement(MATERIALS, size)]
    most = dict(zip(MATERIALS, CHIPS_OF_KIND, strict=True))
    return [wanted for wanted in chosen if all(count <= most[name] for name, count in Counter(wanted).items())]


def nature_kinds() -> list[Kind]:
    """What chance does, cards aside."""
    return [
        single("FACE", "face {}", "the seal shows {}", things(map(str, range(6)))),
        single("DRAW", "draw {}", "the seal drawn is {}", SEAL_THINGS),
    ]


def round_kinds() -> list[Kind]:
    """Claims and the conflict."""
    return [
        single("CLAIM", "claim {}", "claim {}", LINES),
        single("TAKE_BACK", "take-back {}", "take back the marker: {}", PLACE_THINGS),
        single("FLIP", "flip {}", "flip a seal: {}", [*SEAL_THINGS, Thing("personal", "the personal one, 2/3")]),
        plain("STOP", "stop", "stop flipping: the card is lost"),
        single("KEEP", "keep {}", "keep a seal: {}", SEAL_THINGS),
        plain("PASS", "pass", "keep the card for later"),
    ]


def turn_kinds() -> list[Kind]:
    """Building, and what follows the use of a card."""
    lots = [Thing(" ".join(wanted), ", ".join(wanted)) for wanted in sets_of_materials()]
    turned = [
        (chip, Thing(str(n), str(n)))
        for chip, most in zip(CHIP_THINGS, CHIPS_OF_KIND, strict=True)
        for n in range(1, most + 1)
    ]
    return [
        Kind("BUILD", "build {} {}", "build in {}: {}", tuple(product(SECTION_THINGS, lots))),
        plain("END", "end", "end the turn"),
        plain("DONE", "done", "no more of this"),
        plain("BUY_SEAL", "buy seal", "buy the top seal"),
        Kind("CONVERT", "convert {} {}", "convert {1} {0}", tuple(turned)),
        single("BUY", "buy {}", "buy 1 {}", CHIP_THINGS),
        single("SELL", "sell wool {}", "sell {} wool", things(map(str, range(1, CHIPS_OF_KIND[3] + 1)))),
        single("TAKE", "take {}", "take 1 {}", CHIP_THINGS[:NO_ORE]),
        Kind("PAY", "pay {} {}", "pay a seal {} for 1 {}", tuple(product(SEAL_THINGS, CHIP_THINGS[:NO_ORE]))),
        Kind(
            "PLACE",
            "place {} {} {}",
            "place in {}: {}, for a seal {}",
            tuple(product(SECTION_THINGS, MATERIAL_THINGS[:NO_ORE], SEAL_THINGS)),
        ),
        Kind("RETURN", "return {} {}", "return from {}: {}", tuple(product(SECTION_THINGS, MATERIAL_THINGS))),
    ]


def kinds() -> list[Kind]:
    """Return every kind of action but those of the cards, in the order of its codes."""
    return [*nature_kinds(), *round_kinds(), *turn_kinds()]


def first_codes() -> dict[str, int]:
    """Return the first code of each kind by its constant, and CARDS, the first code of the cards'."""
    codes, code = {}, 0
    for kind in kinds():
        codes[kind.constant] = code
        code += len(kind.named)
    return codes | {"CARDS": code}


def card_actions(card: Card) -> list[tuple[str, str]]:
    """Return (text, label) of the two actions of a card."""
    verb = "play" if card.once else "use"
    return [(f"deal {card.id}", f"the next card: {card.name}"), (f"{verb} {card.id}", f"{verb} {card.name}")]


def actions(catalogue: Catalogue) -> list[tuple[str, str]]:
    """Return (text, label) of each action code, in order."""
    fixed = [
        (kind.text.format(*(thing.id for thing in named)), kind.label.format(*(thing.name for thing in named)))
        for kind in kinds()
        for named in kind.named
    ]
    return fixed + [action for card in names_of(catalogue).cards for action in card_actions(card)]
