"""Detects whether actions revealed hidden cards, which a take-back could not undo."""

from clerestory.engine.core import State
from clerestory.engine.errors import IllegalAction
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import SeatKind

WORLDS = 16  # deals to try; a fact with a probability of one half is missed once in 65,000 times


def disclosed_since(hosted: HostedGame, ply: int) -> bool:
    """Return whether hidden cards were shown to a player since a ply, except by a person, whose consent is required."""
    assert hosted.positions is not None
    states = list(hosted.positions.since(ply))
    people = [seat for seat, holder in enumerate(hosted.seats) if holder.token]
    asked = {seat for seat in people if hosted.seats[seat].kind == SeatKind.PERSON}
    return any(
        shows(before, entry.text, after, eyes)
        for before, entry, after in zip(states, hosted.line[ply:], states[1:], strict=False)
        for eyes in people
        if entry.seat == eyes or entry.seat not in asked
    )


def shows(before: State, text: str, after: State, eyes: int) -> bool:
    """Return whether an action reveals hidden information to a seat: some deal makes it illegal or look different."""
    known = before.observe(eyes)
    if known == before:
        return False
    for seed in range(WORLDS):
        world = known.determinize(seed)
        try:
            world.play(text)
        except IllegalAction:
            return True
        if world.key(eyes) != after.key(eyes):
            return True
    return False
