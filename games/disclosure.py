"""What a seat's action shows of hidden cards: a take-back would leave it known."""

from clerestory.engine.core import State
from clerestory.engine.errors import IllegalAction
from clerestory.games.kept import ServerGame
from clerestory.games.log import SeatKind

WORLDS = 16  # deals that are tried; what was as likely as not goes unnoticed once in 65,000 times


def disclosed_since(kept: ServerGame, ply: int) -> bool:
    """Whether since a ply somebody has been shown hidden cards, other than by a person, who is asked to agree."""
    assert kept.positions is not None
    states = list(kept.positions.since(ply))
    people = [seat for seat, holder in enumerate(kept.seats) if holder.token]
    asked = {seat for seat in people if kept.seats[seat].kind == SeatKind.PERSON}
    return any(
        shows(before, entry.text, after, eyes)
        for before, entry, after in zip(states, kept.line[ply:], states[1:], strict=False)
        for eyes in people
        if entry.seat == eyes or entry.seat not in asked
    )


def shows(before: State, text: str, after: State, eyes: int) -> bool:
    """Whether an action tells a seat what it could not know: in some deal it would not be, or not look, the same."""
    known = before.observe(eyes)
    if known == before:
        return False
    for seed in range(WORLDS):
        world = known.deal(seed)
        try:
            world.play(text)
        except IllegalAction:
            return True
        if world.key(eyes) != after.key(eyes):
            return True
    return False
