"""Creates games: validates the plan, deals the first position and issues tokens, the same for a repeated request."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self
from unicodedata import category

from clerestory.engine.core import NATURE, Game, State
from clerestory.engine.errors import BadText, IllegalAction
from clerestory.engine.tuning import NUM_LEVELS, character_fault
from clerestory.seeds import SEED_BITS, random_seed
from clerestory.server.analysis.limits import time_fault
from clerestory.server.games.commands import advance_automatic
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings, Entry, EntryKind, GameOptions, Head, Holder, Onlookers, SeatKind
from clerestory.server.games.rulebook import GivenPosition, require_few
from clerestory.server.games.store import Key
from clerestory.server.games.viewer import TokenIssuer, digest_of
from clerestory.service_errors import Faults, Reason, raise_error

LONGEST_NAME = 40  # characters
MOST_DELAY = 1000  # plies
SHORTEST_MOVE, LONGEST_MOVE = 1.0, 30 * 24 * 3600.0  # seconds
JOINERS = dict.fromkeys(map(ord, "\u200c\u200d"))  # of letters and emoji; not control characters
BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and symbols that look blank
REQUEST_ID = re.compile(r"[\w.:-]{16,64}", re.ASCII)
OWNER, ONLOOKER = "owner", "onlooker"


# -- validation ------------------------------------------------------------------------------------


def check_holder(holder: Holder, path: str, faults: Faults) -> None:
    """Collect the faults of a seat's holder; `path` is the prefix of the field names here and below."""
    check_name(holder.name, path, faults)
    if holder.bot is not None:
        check_bot(holder.bot, f"{path}bot.", faults)


def check_name(name: str, path: str, faults: Faults) -> None:
    """Collect a fault for a name that is too long, not printable on one line, or blank."""
    if len(name) > LONGEST_NAME or not name.translate(JOINERS).isprintable():
        text = f"must be {LONGEST_NAME} characters at most, without line ends or other control characters"
        faults.add(Reason.BAD_OPTIONS, f"{path}name", text)
    elif name and not any(map(is_visible, name)):
        faults.add(Reason.BAD_OPTIONS, f"{path}name", "looks blank; must have a visible character")


def is_visible(character: str) -> bool:
    """Return whether a character is a letter, number, punctuation mark or symbol that does not look blank."""
    return category(character)[0] in "LNPS" and character not in BLANK


def check_bot(bot: BotSettings, path: str, faults: Faults) -> None:
    """Collect the faults of a bot's settings."""
    if bot.level is not None and not 1 <= bot.level <= NUM_LEVELS:
        faults.add(Reason.BAD_LEVEL, f"{path}level", f"is {bot.level}; must be 1 to {NUM_LEVELS}")
    if text := character_fault(bot.character, bot.level):
        faults.add(Reason.BAD_CHARACTER, f"{path}character", text)
    if text := time_fault(bot.seconds):
        faults.add(Reason.BAD_TIME_BUDGET, f"{path}seconds", text)


def check_options(options: GameOptions, faults: Faults) -> None:
    """Collect the faults of a game's options."""
    if options.delay_plies > MOST_DELAY:
        text = f"is {options.delay_plies}; must be {MOST_DELAY} at most"
        faults.add(Reason.BAD_OPTIONS, "options.delay_plies", text)
    for name in ("seconds_per_move", "seconds_per_game"):
        seconds = getattr(options, name)
        if seconds is not None and (text := time_fault(seconds, SHORTEST_MOVE, LONGEST_MOVE)):
            faults.add(Reason.BAD_OPTIONS, f"options.{name}", text)
    if options.increment and (text := time_fault(options.increment, 0.0, LONGEST_MOVE)):
        faults.add(Reason.BAD_OPTIONS, "options.increment", text)
    elif options.increment and options.seconds_per_game is None:
        faults.add(Reason.BAD_OPTIONS, "options.increment", "needs time_per_game")
    check_bot(options.play_on, "options.play_on.", faults)


def check_request(request_id: str, faults: Faults) -> None:
    """Collect a fault for an invalid request name."""
    if request_id and not REQUEST_ID.fullmatch(request_id):
        faults.add(Reason.BAD_OPTIONS, "request_id", "must be 16 to 64 letters, digits and `_.:-`, or empty")


# -- creation --------------------------------------------------------------------------------------


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
    seed = random_seed() if plan.seed is None else plan.seed
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
        add_recorded(hosted, number, text, moment)
    advance_automatic(hosted, moment)
    return hosted


def add_recorded(hosted: HostedGame, number: int, text: str, moment: int) -> None:
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
