"""Random tables in the middle of the game: crowded buildings, empty banks and stacks, hands full of 1x cards.

Games from the opening seldom come to such a table; a round or two from here meets what they miss.
"""

from __future__ import annotations

import random
from collections import Counter

from tests.engine.duel import oracle_cards as box
from tests.engine.duel.oracle_state import Player, Position


def random_table(rng: random.Random) -> Position:
    """A round about to be dealt, that could have come about as far as chips, seals, gold and cards tell."""
    power = rng.choice(["red", "blue"])
    s = Position(phase=rng.randint(1, 4), round=rng.randint(1, 3), power=power, first=power)
    for player in s.players.values():
        _share_chips(rng, player)
    _share_gold(rng, s)
    _share_seals(rng, s)
    _share_cards(rng, s)
    return s


def _share_chips(rng: random.Random, player: Player) -> None:
    eager = rng.random()
    player.supply, player.raw, player.made = Counter(box.CHIPS), Counter(), Counter()
    for section in rng.sample(box.SECTIONS, 2):  # a third complete one would have ended the game
        player.placed[section] = [made for made in box.NEEDS[player.colour][section] if rng.random() < eager]
    placed = Counter(made for materials in player.placed.values() for made in materials)
    for raw, made in box.MADE_FROM.items():
        player.supply[raw] -= placed[made]
        for _ in range(player.supply[raw]):
            camp = rng.choice([player.supply, player.raw, player.made])
            player.supply[raw] -= 1
            camp[made if camp is player.made else raw] += 1


def _share_gold(rng: random.Random, s: Position) -> None:
    """One table in three has an empty bank or nearly so."""
    s.bank = rng.choice([rng.randint(0, 4), rng.randint(20, 70), rng.randint(20, 70)])
    rich, poor = rng.sample(list(s.players.values()), 2)
    poor.gold = rng.randint(0, min(15, box.GOLD_IN_BOX - s.bank))
    rich.gold = box.GOLD_IN_BOX - s.bank - poor.gold


def _share_seals(rng: random.Random, s: Position) -> None:
    unseen = rng.sample(box.START_STACK, rng.randint(0, len(box.START_STACK)))
    s.unseen_seals = Counter(unseen)
    s.seal_order = unseen
    seen = list((Counter(box.SEALS_IN_BOX) - s.unseen_seals).elements())
    rng.shuffle(seen)
    under = rng.choice([0, 0, 1, len(seen) // 2])
    s.seen_seals, held = seen[:under], seen[under:]
    for player in s.players.values():
        player.seals = Counter()
    for seal in held:
        rng.choice(list(s.players.values())).seals[seal] += 1


def _share_cards(rng: random.Random, s: Position) -> None:
    """The rounds before have dealt of this deck; a player may hold 1x cards they dealt, or cards of the deck before."""
    deck = list(Counter(box.DECKS[s.deck_name()]).elements())
    rng.shuffle(deck)
    before, order = deck[: 9 * (s.round - 1)], deck[9 * (s.round - 1) :]
    s.unseen_cards = Counter(order)
    held = [card for card in before if card in box.ONCE]
    held += [card for card in box.DECKS[box.DECK_OF_PHASE[s.phase - 1]] if card in box.ONCE] if s.phase > 1 else []
    for card in held:
        rng.choice([[], *(player.once for player in s.players.values())]).append(card)
    s.deck = order
    for phase in range(s.phase + 1, 5):
        later = list(Counter(box.DECKS[box.DECK_OF_PHASE[phase]]).elements())
        rng.shuffle(later)
        s.deck += later
