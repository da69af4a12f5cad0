"""The fields of a toy position, read strictly. What they mean is in RULES.md."""

from typing import Annotated, Literal

from pydantic import Field

from clerestory.engine.errors import BadPosition
from clerestory.engine.fields import Fields, read_fields

STEPS = ("turn-up", "weather", "play", "over")

Card = Annotated[int, Field(ge=0, le=10)]


class Player(Fields):
    """What a seat has and what is on the table before it."""

    points: Annotated[int, Field(ge=0, le=40)]
    played: Card
    hand: Annotated[list[Card], Field(max_length=2)]


class Position(Fields):
    """A whole position."""

    round: Annotated[int, Field(ge=1, le=3)]
    step: Literal["turn-up", "weather", "play", "over"]
    moved: Annotated[int, Field(ge=0, le=3)]
    prize: Card
    feast: bool
    seen: Annotated[list[Card], Field(max_length=10)]
    deck: Annotated[list[Card], Field(max_length=2)]
    players: Annotated[list[Player], Field(min_length=2, max_length=4)]


def read_position(fields: dict[str, object]) -> Position:
    """Return the position that the fields describe. Raises BadPosition, listing every fault."""
    position = read_fields(Position, fields, "toy", BadPosition)
    faults = [*card_faults(position), *course_faults(position)]
    if faults:
        raise BadPosition(faults)
    return position


def card_faults(position: Position) -> list[tuple[str, str]]:
    """Each card is in one place: seen, in one hand, or in the deck; and each place holds what it should."""
    highest = 2 * len(position.players) + 2
    places = {"toy.seen": position.seen, "toy.deck": position.deck}
    places |= {f"toy.players[{seat}].hand": player.hand for seat, player in enumerate(position.players)}
    faults: list[tuple[str, str]] = []
    home: dict[int, str] = {}
    for path, cards in places.items():
        for card in filter(None, cards):
            if card in home:
                faults.append((path, f"card {card} is also in {home[card]}"))
            if card > highest:
                faults.append((path, f"card {card} is not in the game with {len(position.players)} seats"))
            home[card] = path
    count = sum(len(cards) for cards in places.values())
    if 0 in position.seen:
        faults.append(("toy.seen", "0 is not a card"))
    if count != highest:
        faults.append(
            ("toy", f"{count} cards seen, held and to come; with {len(position.players)} seats there are {highest}")
        )
    return faults


def course_faults(position: Position) -> list[tuple[str, str]]:
    """The round, the step, the prize and the cards played fit each other."""
    faults = []
    under_way = position.step in ("weather", "play")
    if (position.step == "over") != (position.round == 3):
        faults.append(("toy.step", f"{position.step!r} does not go with round {position.round}"))
    elif len(position.deck) != 3 - position.round - under_way:
        faults.append(("toy.deck", f"holds {len(position.deck)} cards, not {3 - position.round - under_way}"))
    if bool(position.prize) != under_way or (position.prize and position.prize not in position.seen):
        faults.append(("toy.prize", f"{position.prize} is not the card turned up"))
    if position.feast and position.step != "play":
        faults.append(("toy.feast", "is known only at step 'play'"))
    if position.moved and (position.step != "play" or position.moved >= len(position.players)):
        faults.append(("toy.moved", f"{position.moved} seats cannot have acted"))
    return faults + [
        (f"toy.players[{seat}].played", f"{player.played} cannot have been played in this round")
        for seat, player in enumerate(position.players)
        if player.played and (player.played not in position.seen or not has_moved(position, seat))
    ]


def has_moved(position: Position, seat: int) -> bool:
    """Whether the seat has acted in this round."""
    seats = len(position.players)
    return position.step == "play" and (seat - position.round + 1) % seats < position.moved
