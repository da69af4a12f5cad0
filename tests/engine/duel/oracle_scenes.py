"""Positions for tests: consistent to the last chip, seal, coin and card, so that the core accepts them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tests.engine.duel import oracle_cards as box
from tests.engine.duel.oracle_fields import from_fields, to_fields
from tests.engine.duel.oracle_state import Position
from tests.engine.models import CoreGame
from tests.shipped import DUEL

Changes = Mapping[str, Any]


class Core(CoreGame):
    """The core behind the interface of the plain model."""

    rules = DUEL

    def table(self) -> Position:
        """The position, as the plain model lays it out."""
        return from_fields(self.position())


def play_all(game: Core, *texts: str) -> Core:
    for text in texts:
        game.play(text)
    return game


SETS = ("once", "markers", "used")  # unordered


def look(game: Core, thing: str) -> Any:
    """Return a readable value: `red.gold`, `blue.raw` (names in order), `bank`, `stack`, `step`, `offered`..."""
    if thing == "offered":
        return "; ".join(sorted(game.legal()))
    colour, _, name = thing.rpartition(".")
    s = game.table()
    found = getattr(s.player(colour) if colour else s, name)
    if callable(found):
        found = found()
    if isinstance(found, Counter):
        return " ".join(sorted(found.elements()))
    return " ".join(map(str, sorted(found) if name in SETS else found)) if isinstance(found, list) else found


def before_claims(
    phase: int = 1, round_: int = 1, power: str = "red", coming: Iterable[str] = (), **changes: Changes
) -> Position:
    """Return a round before its deal, with the cards `coming` among the undealt ones.

    `changes` gives, by colour, the differences from the opening.

    `gold` comes from the bank (or returns to it); `raw` and `made` are all chips of the camp, `placed` those of the
    sections, the others are in the supply; `seals` are all neutral seals held, paid into or taken off the stack;
    `once` are 1x cards in front of the player.
    """
    s = Position(phase=phase, round=round_, power=power, first=power)
    for colour, own in changes.items():
        _change_player(s, colour, own)
    held = Counter(card for player in s.players.values() for card in player.once)
    s.unseen_cards = _undealt(s, held, Counter(coming))
    return s


def _change_player(s: Position, colour: str, own: Changes) -> None:
    player = s.player(colour)
    s.bank += player.gold - own.get("gold", player.gold)
    player.gold = own.get("gold", player.gold)
    player.once = list(own.get("once", ()))
    for section, materials in own.get("placed", {}).items():
        player.placed[section] = list(materials)
    _share_chips(player, own)
    if "seals" in own:
        _change_seals(s, colour, Counter(own["seals"]))


def _share_chips(player: Any, own: Changes) -> None:
    player.supply += player.raw
    player.raw = Counter(own.get("raw", player.raw))
    player.made = Counter(own.get("made", ()))
    placed = [made for section in player.placed.values() for made in section]
    player.supply -= player.raw + Counter(box.RAW_OF[made] for made in [*player.made.elements(), *placed])


def _change_seals(s: Position, colour: str, wanted: Counter[str]) -> None:
    """Put excess seals under the stack, or take missing ones from the unseen seals, then from those below."""
    player = s.player(colour)
    s.seen_seals += sorted((player.seals - wanted).elements())
    for seal in (wanted - player.seals).elements():
        if s.unseen_seals[seal]:
            s.unseen_seals -= Counter([seal])
        else:
            s.seen_seals.remove(seal)
    player.seals = wanted


def _undealt(s: Position, held: Counter[str], coming: Counter[str]) -> Counter[str]:
    """Return the deck in play minus the rounds before: first the held cards, then symbol cards that are not coming."""
    deck = Counter(box.DECKS[s.deck_name()])
    gone = held & deck
    fill = sorted((deck - gone - coming).elements(), key=lambda card: card not in box.SYMBOLS or card == "power")
    return deck - gone - Counter(fill[: 9 * (s.round - 1) - gone.total()])


def dealt(s: Position, places: Mapping[int, str]) -> Core:
    """Deal the nine cards: those named at their places 0 to 8, elsewhere the least useful ones.

    The other colour's cards and power, which the first player has, come first; these are under `in_turn`'s markers.
    """
    game = Core.from_position(to_fields(s))
    rest = s.unseen_cards - Counter(places.values())
    useless = [card for card, colour in box.PERSONAL_CARDS.items() if colour != s.power] + ["power"]
    dull = sorted(
        rest.elements(), key=lambda card: (card not in useless, card in box.ONCE, not card.startswith("income"))
    )
    for place in range(9):
        game.play(f"deal {places[place] if place in places else dull.pop(0)}")
    return game


def in_turn(
    colour: str,
    own: Iterable[str],
    theirs: Iterable[str] = (),
    free: Iterable[str] = (),
    phase: int = 1,
    round_: int = 1,
    **changes: Changes,
) -> Core:
    """Return the turn of a first player that won the conflict.

    Up to three cards are under the player's markers (row 1), two under the opponent's (column 1), four under none.
    """
    places = dict(zip((0, 1, 2), own, strict=False))
    places |= dict(zip((3, 6), theirs, strict=False)) | dict(zip((4, 5, 7, 8), free, strict=False))
    game = dealt(before_claims(phase, round_, colour, places.values(), **changes), places)
    play_all(game, "claim row 1", "claim column 1")
    while game.turn() >= 0 and game.offered() == {"pass", "play storming_the_castle"}:
        game.play("pass")
    return play_all(game, "flip personal", "face 3", "stop")


def random_table(rng: random.Random) -> Position:
    """Return a round before its deal, with rare features: crowded buildings, an empty bank or stack, 1x cards held."""
    phase, round_, power = rng.randint(1, 4), rng.randint(1, 3), rng.choice(box.COLOURS)
    bank = rng.choice([rng.randint(0, 4), rng.randint(20, 70), rng.randint(20, 70)])
    poor = rng.randint(0, min(15, box.GOLD_IN_BOX - bank))
    gold = dict(zip(rng.sample(box.COLOURS, 2), (poor, box.GOLD_IN_BOX - bank - poor), strict=True))
    dealt = [card for card in box.DECKS[box.DECK_OF_PHASE[phase]] if card in box.ONCE] if round_ > 1 else []
    before = [card for card in box.DECKS[box.DECK_OF_PHASE[phase - 1]] if card in box.ONCE] if phase > 1 else []
    owners = {card: rng.choice(["", *box.COLOURS]) for card in [*dealt, *before]}
    hands = {colour: [card for card, owner in owners.items() if owner == colour] for colour in box.COLOURS}
    changes = {
        colour: {**_random_chips(rng, colour), "gold": gold[colour], "once": hands[colour]} for colour in box.COLOURS
    }
    s = before_claims(phase, round_, power, **changes)
    s.unseen_seals = Counter(rng.sample(box.START_STACK, rng.randint(0, 4)))
    seen = list((Counter(box.SEALS_IN_BOX) - s.unseen_seals).elements())
    rng.shuffle(seen)
    under = rng.choice([0, 0, 1, len(seen) // 2])
    s.seen_seals = seen[:under]
    for player in s.players.values():
        player.seals = Counter()
    for seal in seen[under:]:
        s.player(rng.choice(box.COLOURS)).seals[seal] += 1
    return s


def _random_chips(rng: random.Random, colour: str) -> Changes:
    """Place materials in two sections, as a third complete one ends the game, and fill the camp."""
    eager, raws, mades = rng.random(), list[str](), list[str]()
    placed = {
        name: [made for made in box.NEEDS[colour][name] if rng.random() < eager] for name in rng.sample(box.SECTIONS, 2)
    }
    used = Counter(made for section in placed.values() for made in section)
    for raw, made in box.MADE_FROM.items():
        for _ in range(box.CHIPS[raw] - used[made]):
            where = rng.randrange(3)
            raws += [raw] * (where == 1)
            mades += [made] * (where == 2)
    return {"placed": placed, "raw": raws, "made": mades}
