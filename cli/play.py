"""`clerestory play`: a game in the terminal, against people and levels, or beside a board on the table."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from clerestory.cli.grouped import grouped
from clerestory.cli.kept import KeptSession, create_game, is_kept, open_game, play_kept, view_of
from clerestory.cli.options import DEFAULT_GAME, BadOption, GameOption, chosen_game, read_file
from clerestory.cli.playing import SeatPlayer, Session, play_on
from clerestory.cli.recording import Recording
from clerestory.cli.screen import screen
from clerestory.cli.servers import PLAIN, Access, ServerOption, advised, connected
from clerestory.clients.wire import read_time
from clerestory.engine import NATURE, Record, State, from_position, read_records
from clerestory.engine.tuning import NUM_LEVELS
from clerestory.seeds import drawn_seed

LEVELS = range(1, NUM_LEVELS + 1)

StartArgument = Annotated[
    str | None, typer.Argument(help="A position or record to continue from; a new game by default.")
]
GameSeedOption = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=2**64 - 1, help="Seed of all luck; random by default.")
]
RecordOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File to record the game in, move by move, so that it can be continued later."),
]


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """Who plays what, from where, and how it is shown."""

    start: StartArgument = None
    seats: Annotated[
        str,
        typer.Option(
            metavar="WHO,...", help="Who plays, from seat 0: human, bot (full strength), or level:1 to level:8."
        ),
    ] = "human,bot"
    game: GameOption = DEFAULT_GAME
    seed: GameSeedOption = None
    time: Annotated[str, typer.Option(metavar="TIME", help="Time for a bot's move, and for a hint.")] = "1s"
    record: RecordOption = None
    table: Annotated[
        bool, typer.Option("--table", help="Follow a physical game: type in moves and chance outcomes.")
    ] = False
    web: Annotated[bool, typer.Option("--web", help="Play in a browser, on a private page.")] = False
    server: ServerOption = None

    @property
    def names(self) -> list[str]:
        """Who plays, by seat."""
        return [word.strip() for word in self.seats.split(",")]

    @property
    def keeper(self) -> str | None:
        """The server that keeps the game, if one does."""
        here = self.record is not None or self.table or self.web
        return self.server if not here and (self.start is None or is_kept(self.start)) else None


OPTIONS = PlayOptions()


@grouped()
def play(
    options: PlayOptions = OPTIONS,
    access: Access = PLAIN,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print events as JSON lines; text for people goes to standard error.")
    ] = False,
) -> None:
    """Play a game; type `help` for the commands.

    With --server, a new game is kept by the server, unless --record keeps it here. ID#TOKENS, shown at the end,
    continues it, and ID alone takes an open seat.
    """
    if not 0 < read_time(options.time) < 600:
        raise BadOption(f"--time: must be above 0 and below 10 minutes, not {options.time}")
    shown = Display(screen(stderr=as_json), options.time, print_json if as_json else None)
    if options.keeper is not None:
        sys.exit(play_there(options.keeper, options, access, shown))
    players = [read_player(name, number) for number, name in enumerate(options.names)]
    if options.web:
        from clerestory.cli.on_page import play_on_page  # a whole server, which a game in the terminal does not need

        require_plain_game(options)
        play_on_page(chosen_game(options.game).name, players, read_time(options.time), options.seed)
        return
    sys.exit(play_here(options, access, shown, players))


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


def play_there(server: str, options: PlayOptions, access: Access, shown: Display) -> int:
    """Play a game that a server keeps, a new one without `start`; return the exit code."""
    with connected(server, access) as advisor:
        if options.start is None:
            game = create_game(advisor, options.game, options.names, options.seed, options.time)
        else:
            game = open_game(advisor, options.start)
        state = view_of(game.look())
        session = Session(state, [], advisor, shown.console, shown.time, 0, None, table=False, tell=shown.tell)
        session.shared = len(game.tokens) > 1
        return guarded(shown.console, partial(play_kept, KeptSession(game, session, server)))


def play_here(options: PlayOptions, access: Access, shown: Display, players: list[SeatPlayer]) -> int:
    """Play a game that no server keeps; return the exit code."""
    start, record, table = options.start, options.record, options.table
    opening = begin(options.game, len(players), options.seed, table) if start is None else resume(start, len(players))
    luck = drawn(options.seed)
    with advised(options.server, access) as advisor:
        session = Session(
            opening.state, players, advisor, shown.console, shown.time, luck, opening.seed, table, shown.tell
        )
        session.shared = table or sum(player.human for player in players) > 1
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
        console.print("\nLeft.")
        return 130
    return 0


def read_player(word: str, number: int) -> SeatPlayer:
    """Return who plays a seat. Raises BadOption."""
    name, colon, level = word.partition(":")
    if word in ("human", "bot"):
        return SeatPlayer(word == "human", None)
    if name == "level" and colon and level.isascii() and level.isdigit() and int(level) in LEVELS:
        return SeatPlayer(False, int(level))
    raise BadOption(f"--seats: {word!r} of seat {number} is not human, bot, or level:1 to level:8")


def begin(name: str, seats: int, seed: int | None, table: bool) -> Record:
    """Return a new game; at a physical table, one with unknown decks. Raises BadOption."""
    number = drawn(seed)
    state = chosen_game(name, seats).new(seats, number)
    return Record(state.observe(NATURE)) if table else Record(state, number)


def drawn(seed: int | None) -> int:
    """Return the seed given, or a random one."""
    return drawn_seed() if seed is None else seed


def resume(path: str, seats: int) -> Record:
    """Return the game in a file, which must have so many seats. Raises BadOption, GameError."""
    opening = last_game(path)
    if opening.state.seats != seats:
        raise BadOption(f"--seats: names {seats} players; the game has {opening.state.seats}")
    return opening


def last_game(path: str) -> Record:
    """Return the game in a file: its position, or the last of its records, which may be unfinished.

    Raises BadOption, GameError.
    """
    text = read_file(path).decode("utf-8", errors="replace")
    if not text.lstrip().startswith('{"record"'):
        return Record(from_position(text))
    records = list(read_records(text.splitlines(keepends=True), begun=True))
    if not records:
        raise BadOption(f"{path}: contains no record")
    return Record(with_history(records[-1].state), records[-1].seed)


def with_history(state: State) -> State:
    """Return a copy with its history, so that it can be undone move by move."""
    return state.copy(history=True)
