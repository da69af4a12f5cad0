"""Creates games: deals the first position and issues tokens, with the same result for a repeated request."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from clerestory.engine.core import NATURE, Game, State
from clerestory.engine.errors import BadText, IllegalAction
from clerestory.seeds import SEED_BITS, drawn_seed
from clerestory.server.games.hosted import HostedGame, advance_automatic
from clerestory.server.games.log import Entry, EntryKind, GameOptions, Head, Holder, Onlookers, SeatKind
from clerestory.server.games.new_game_checks import check_holder, check_options, check_request
from clerestory.server.games.rulebook import GivenPosition, require_few
from clerestory.server.games.store import Key
from clerestory.server.games.tokens import TokenIssuer
from clerestory.server.games.viewer import digest_of
from clerestory.service_errors import Faults, Reason, raise_error

OWNER, ONLOOKER = "owner", "onlooker"


@dataclass(frozen=True, slots=True)
class NewGame:
    """The plan of a new game.

    Attributes:
        seats: the holders of the seats; people have no tokens yet.
        seed: the seed of all chance events, None to draw one.
        request_id: "" for none.
        opening: the first position, None to deal one.
        played: texts of the actions and outcomes since the opening.
    """

    game: Game
    seats: tuple[Holder, ...]
    options: GameOptions
    seed: int | None
    request_id: str
    opening: State | None = None
    played: tuple[str, ...] = ()

    def check(self, faults: Faults) -> None:
        """Collect all faults, except of a record to continue."""
        for number, holder in enumerate(self.seats):
            check_holder(holder, f"seats[{number}].", faults)
        check_options(self.options, faults)
        if self.seed is not None and self.seed >= 1 << SEED_BITS:
            faults.add(Reason.BAD_OPTIONS, "seed", f"is {self.seed}; must be below 2^{SEED_BITS}")
        if self.seed is not None and self.options.table:
            faults.add(Reason.BAD_OPTIONS, "seed", "has no effect in a game at a table")
        check_request(self.request_id, faults)

    def continuing(self, given: GivenPosition, played: Sequence[str]) -> Self:
        """Return the plan of a game that continues a record.

        Raises ServiceError: BAD_OPTIONS, BAD_POSITION, TOO_MANY_ACTIONS.
        """
        blamed, state = "beginning.opening", given.state
        if (state.game, state.seats) != (self.game, len(self.seats)):
            what = f"is a position of {state.game.name} with {state.seats} players"
            raise_error(Reason.BAD_OPTIONS, blamed, f"{what}, not of the game to be made")
        if not (given.referee or self.options.table):
            text = "has unknown cards; only a game at a real table (options.table) can continue it"
            raise_error(Reason.BAD_POSITION, blamed, text)
        require_few("beginning.actions", len(played))
        return replace(self, opening=state, played=tuple(played))


def seat_name(seat: int) -> str:
    """Return the name of a seat's token for a token issuer."""
    return f"seat {seat}"


def make_game(plan: NewGame, issuer: TokenIssuer, maker: str, moment: int) -> HostedGame:
    """Return a new game, with its first chance events drawn unless it waits for people to join.

    `maker` is the origin of the caller. Raises ServiceError if a record to continue is invalid.
    """
    seed = drawn_seed() if plan.seed is None else plan.seed
    opening = plan.opening or plan.game.new(len(plan.seats), seed)
    if plan.options.table:
        opening = opening.observe(NATURE)
    head = Head(
        game_id=issuer.game_id(),
        game=plan.game.name,
        rules_revision=plan.game.rules_revision,
        catalogue=plan.game.catalogue,
        opening=opening.to_json(),
        seed=None if plan.options.table else seed,
        seed_chosen=plan.seed is not None or plan.opening is not None,
        salt="" if plan.options.table else secrets.token_hex(16),
        seats=tuple(with_token(holder, seat, issuer) for seat, holder in enumerate(plan.seats)),
        options=plan.options,
        owner=digest_of(issuer.token(OWNER)),
        onlooker=digest_of(issuer.token(ONLOOKER)) if plan.options.onlookers == Onlookers.LINK else "",
        created=moment,
        maker=maker,
        begun=plan.opening is not None,
    )
    hosted = HostedGame(head)
    for number, text in enumerate(plan.played):
        add_told(hosted, number, text, moment)
    advance_automatic(hosted, moment)
    return hosted


def add_told(hosted: HostedGame, number: int, text: str, moment: int) -> None:
    """Add an action or outcome of a record. Raises ServiceError: BAD_ACTION, ILLEGAL_ACTION."""
    turn = hosted.position.turn
    try:
        hosted.add(Entry(EntryKind.PLAYED, turn if turn >= 0 else None, text, moment))
    except BadText:
        raise_error(Reason.BAD_ACTION, f"actions[{number}]", f"{text[:40]!r} is not an action of {hosted.head.game}")
    except IllegalAction as error:
        raise_error(Reason.ILLEGAL_ACTION, f"actions[{number}]", str(error))


def with_token(holder: Holder, seat: int, issuer: TokenIssuer) -> Holder:
    """Return the holder of a seat, with a token if it is a person."""
    if holder.kind != SeatKind.PERSON:
        return holder
    return Holder(holder.kind, holder.name, token=digest_of(issuer.token(seat_name(seat))))


def keys_of(head: Head, issuer: TokenIssuer) -> list[Key]:
    """Return the keys of a new game."""
    keys = [Key(head.owner), *(Key(holder.token, seat) for seat, holder in enumerate(head.seats) if holder.token)]
    if head.onlooker:
        keys.append(Key(head.onlooker))
    if issuer.digest:
        keys.append(Key(issuer.digest, request=True))
    return keys
