"""Begins a game in the terminal, or continues one: here, on a page, or where a server keeps it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from clerestory.cli import locale
from clerestory.cli.access import Access
from clerestory.cli.hosted import KeptSession, create_game, is_kept, open_game, play_kept, view_of
from clerestory.cli.options import BadOption, chosen_game, read_text, require_same_game
from clerestory.cli.play_options import PlayOptions
from clerestory.cli.playing import SeatPlayer, Session, play_on
from clerestory.cli.positions import read_position
from clerestory.cli.recording import OPENING, Recording, replayed
from clerestory.cli.screen import screen
from clerestory.cli.servers import advised, by_option, connected
from clerestory.clients.wire import read_time
from clerestory.engine import NATURE, Record, State
from clerestory.engine.tuning import CHARACTERS, NUM_LEVELS
from clerestory.seeds import drawn_seed

LEVELS = range(1, NUM_LEVELS + 1)


@dataclass(frozen=True, slots=True)
class Display:
    """How a game is shown.

    Attributes:
        console: where.
        time: of a hint.
        tell: receives events, for programs; None for people.
    """

    console: Console
    time: str
    tell: Callable[[dict[str, Any]], None] | None


def play_game(options: PlayOptions, access: Access, *, as_json: bool) -> int:
    """Play a game; return the exit code. Raises BadOption, GameError, AdvisorError."""
    with by_option():
        seconds = read_time(options.time)
    if not 0 < seconds < 600:
        raise BadOption(f"--time: must be above 0 and below 10 minutes, not {options.time}")
    shown = Display(screen(stderr=as_json), options.time, print_json if as_json else None)
    if (keeper := keeper_of(options)) is not None:
        return play_there(keeper, options, access, shown)
    players = [read_player(name, number) for number, name in enumerate(options.names)]
    if not options.web:
        return play_here(options, access, shown, players)
    from clerestory.cli.on_page import play_on_page  # a whole server, which a game in the terminal does not need

    require_plain_game(options)
    play_on_page(chosen_game(options.new_game).name, players, seconds, options.seed)
    return 0


def keeper_of(options: PlayOptions) -> str | None:
    """Return the server that keeps the game, if one does."""
    here = options.record is not None or options.table or options.web
    return options.server if not here and (options.start is None or is_kept(options.start)) else None


def play_there(server: str, options: PlayOptions, access: Access, shown: Display) -> int:
    """Play a game that a server keeps, a new one without `start`; return the exit code."""
    with connected(server, access) as advisor:
        if options.start is None:
            game = create_game(advisor, options.new_game, options.names, options.seed, options.time)
        else:
            game = open_game(advisor, options.start)
        state = view_of(game.look())
        session = Session(state, [], advisor, shown.console, shown.time, 0, None, table=False, tell=shown.tell)
        session.shared = len(game.tokens) > 1
        return guarded(shown.console, partial(play_kept, KeptSession(game, session, server)))


def play_here(options: PlayOptions, access: Access, shown: Display, players: list[SeatPlayer]) -> int:
    """Play a game that no server keeps; return the exit code."""
    start, record, table = options.start, options.record, options.table
    if start is None:
        opening = begin(options.new_game, len(players), options.seed, table)
    else:
        opening = resume(start, len(players), options.game)
    luck = drawn(options.seed)
    with advised(options.server, access) as advisor:
        session = Session(
            opening.state, players, advisor, shown.console, shown.time, luck, opening.seed, table, shown.tell
        )
        session.shared = table or sum(player.person for player in players) > 1
        if record is not None:
            session.recording = Recording(record, opening, session.warn, goes_on=is_record_of(record, start))
        return play_recorded(session)


def play_recorded(session: Session) -> int:
    """Play a game that is recorded here, if anywhere; return the exit code. Raises OSError if the record has gaps."""
    try:
        code = guarded(session.console, partial(play_on, session))
    finally:
        if session.recording is not None:
            session.recording.close(session.state)
    if session.recording is not None and session.recording.failed:
        raise OSError(f"--record: {session.recording.path}: the record of the game is incomplete")
    return code


def is_record_of(record: Path, start: str | None) -> bool:
    """Whether the game to continue is the last one in the file that it will be recorded in."""
    return start is not None and record.is_file() and Path(start).is_file() and record.samefile(start)


def require_plain_game(options: PlayOptions) -> None:
    """Raise BadOption for options that a game on the page does not take."""
    other = {"START": options.start, "--record": options.record, "--table": options.table, "--server": options.server}
    for name, given in other.items():
        if given:
            raise BadOption(f"{name}: cannot be combined with --web; use the page instead")


def print_json(happened: dict[str, Any]) -> None:
    """Print an event, and flush."""
    typer.echo(json.dumps(happened))


def guarded(console: Console, play: Callable[[], None]) -> int:
    """Play until the end, or until the player leaves; return the exit code."""
    try:
        play()
    except KeyboardInterrupt:
        console.print(f"\n{locale.say('play.left')}")
        return 130
    return 0


def read_player(word: str, number: int) -> SeatPlayer:
    """Return who plays a seat. Raises BadOption."""
    name, _, level = word.partition(":")
    if word in ("person", "bot"):
        return SeatPlayer(word == "person", None)
    if name == "level" and level in map(str, LEVELS):
        return SeatPlayer(False, int(level))
    if word in CHARACTERS:
        return SeatPlayer(False, CHARACTERS[word], word)
    known = ", ".join(CHARACTERS)
    raise BadOption(
        f"--seats: {word[:80]!r} of seat {number} is not person, bot, level:1 to level:8, or one of {known}"
    )


def begin(name: str, seats: int, seed: int | None, table: bool) -> Record:
    """Return a new game; at a physical table, one with unknown decks. Raises BadOption."""
    number = drawn(seed)
    state = chosen_game(name, seats).new(seats, number)
    return Record(state.observe(NATURE)) if table else Record(state, number)


def drawn(seed: int | None) -> int:
    """Return the seed given, or a random one."""
    return drawn_seed() if seed is None else seed


def resume(path: str, seats: int, game: str | None) -> Record:
    """Return the game in a file, which must have so many seats, and be of a game. Raises BadOption, GameError."""
    if (is_kept(path) or "#" in path) and not Path(path).exists():
        raise BadOption("START: is no file; a game of a server needs --server, and its whole ID#TOKENS")
    opening = last_game(path)
    require_same_game(game, opening.state.game.name)
    if opening.state.seats != seats:
        raise BadOption(f"--seats: names {seats} players; the game has {opening.state.seats}")
    return opening


def last_game(path: str) -> Record:
    """Return the game in a file: its position, or the last of its records, which may be unfinished.

    Raises BadOption, GameError.
    """
    text = read_text(path)
    if not text.lstrip().startswith(OPENING):
        return Record(read_position(text))
    records = list(replayed(path, text.splitlines(keepends=True)))
    if not records:
        raise BadOption(f"{path}: contains no record")
    return Record(with_history(records[-1].state), records[-1].seed)


def with_history(state: State) -> State:
    """Return a copy with its history, so that it can be undone move by move."""
    return state.copy(history=True)
