"""The action codes: the number of each kind and their texts. codes.pxd has their first codes.

Only the length of the last range, two codes per card, depends on the catalogue.
"""

from collections import Counter
from itertools import combinations_with_replacement, product

from clerestory.engine.duel.data import codes
from clerestory.engine.duel.data.catalogue import CHIPS_OF_KIND, DuelCatalogue
from clerestory.engine.duel.data.names import CHIPS, LINES, MATERIALS, PLACES, SEALS, SECTIONS, NamedCard, names_of
from clerestory.engine.shared.actions import ActionKind, Named, named, plain, single, texts

NAMED_CHIPS = named(CHIPS)
NAMED_MATERIALS = named(MATERIALS)
NAMED_SEALS = named(SEALS)
NAMED_PLACES = tuple(Named(place, f"row {place[0]}, column {place[2]}") for place in PLACES)
NAMED_SECTIONS = tuple(Named(section, f"section {section}") for section in SECTIONS)
NO_ORE = codes.NO_ORE


def sets_of_materials() -> list[tuple[str, ...]]:
    """Return the sets of one, two or three materials that can be placed at once, given the existing chips."""
    chosen = [wanted for size in (1, 2, 3) for wanted in combinations_with_replacement(MATERIALS, size)]
    most = dict(zip(MATERIALS, CHIPS_OF_KIND, strict=True))
    return [wanted for wanted in chosen if all(count <= most[name] for name, count in Counter(wanted).items())]


def nature_kinds() -> list[ActionKind]:
    """Return Nature's actions except those for cards."""
    return [
        single(codes.FACE, "face {}", "the seal shows {}", named(range(6))),
        single(codes.DRAW, "draw {}", "the seal drawn is {}", NAMED_SEALS),
    ]


def round_kinds() -> list[ActionKind]:
    """Return claims and the actions of the conflict."""
    return [
        single(codes.CLAIM, "claim {}", "claim {}", LINES),
        single(codes.TAKE_BACK, "take-back {}", "take back the marker: {}", NAMED_PLACES),
        single(codes.FLIP, "flip {}", "flip a seal: {}", [*NAMED_SEALS, Named("personal", "the personal one, 2/3")]),
        plain(codes.STOP, "stop", "stop flipping: the card is lost"),
        single(codes.KEEP, "keep {}", "keep a seal: {}", NAMED_SEALS),
        plain(codes.PASS, "pass", "keep the card for later"),
    ]


def turn_kinds() -> list[ActionKind]:
    """Return building, and the choices after the use of a card."""
    lots = [Named(" ".join(wanted), ", ".join(wanted)) for wanted in sets_of_materials()]
    turned = [
        (chip, Named(str(n), str(n)))
        for chip, most in zip(NAMED_CHIPS, CHIPS_OF_KIND, strict=True)
        for n in range(1, most + 1)
    ]
    return [
        ActionKind(codes.BUILD, "build {} {}", "build in {}: {}", tuple(product(NAMED_SECTIONS, lots))),
        plain(codes.END, "end", "end the turn"),
        plain(codes.DONE, "done", "no more of this"),
        plain(codes.BUY_SEAL, "buy seal", "buy the top seal"),
        ActionKind(codes.CONVERT, "convert {} {}", "convert {1} {0}", tuple(turned)),
        single(codes.BUY, "buy {}", "buy 1 {}", NAMED_CHIPS),
        single(codes.SELL, "sell wool {}", "sell {} wool", named(range(1, CHIPS_OF_KIND[3] + 1))),
        single(codes.TAKE, "take {}", "take 1 {}", NAMED_CHIPS[:NO_ORE]),
        ActionKind(codes.PAY, "pay {} {}", "pay a seal {} for 1 {}", tuple(product(NAMED_SEALS, NAMED_CHIPS[:NO_ORE]))),
        ActionKind(
            codes.PLACE,
            "place {} {} {}",
            "place in {}: {}, for a seal {}",
            tuple(product(NAMED_SECTIONS, NAMED_MATERIALS[:NO_ORE], NAMED_SEALS)),
        ),
        ActionKind(codes.RETURN, "return {} {}", "return from {}: {}", tuple(product(NAMED_SECTIONS, NAMED_MATERIALS))),
    ]


def card_kinds(card: NamedCard, code: int) -> list[ActionKind]:
    """Return the two actions of a card."""
    verb = "play" if card.once else "use"
    return [
        single(code, "deal {}", "the next card: {}", [Named(card.id, card.name)]),
        single(code + 1, f"{verb} {{}}", f"{verb} {{}}", [Named(card.id, card.name)]),
    ]


def actions(catalogue: DuelCatalogue) -> list[tuple[str, str]]:
    """Return (text, label) of each action code, in order."""
    cards = names_of(catalogue).cards
    of_cards = [kind for i, card in enumerate(cards) for kind in card_kinds(card, codes.CARDS + 2 * i)]
    return texts([*nature_kinds(), *round_kinds(), *turn_kinds(), *of_cards])
