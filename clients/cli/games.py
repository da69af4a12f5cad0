"""Begins or continues a game in the terminal: local, on a page, or hosted by a server."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from clerestory.cli import locale
from clerestory.cli.access import Access
from clerestory.cli.game_files import Recording, last_game
from clerestory.cli.game_options import PlayOptions
from clerestory.cli.options import BadOption, chosen_game, require_same_game
from clerestory.cli.playing import (
    Commands,
    SeatPlayer,
    Session,
    announce,
    ask,
    ask_seat,
    play_on,
    read_commands,
    show_end,
)
from clerestory.cli.screen import screen
from clerestory.cli.servers import PRIVATE_SERVER, advised, by_option, connected
from clerestory.clients import Advisor, GameEntry, GameSnapshot, HostedGame, NotNow
from clerestory.clients.types import Action as Named
from clerestory.clients.wire import read_time
from clerestory.engine import NATURE, Action, Record, State, from_position
from clerestory.engine.tuning import CHARACTERS, NUM_LEVELS
from clerestory.seeds import random_seed

LEVELS = range(1, NUM_LEVELS + 1)

NAMED = re.compile(r"(?P<id>[\w-]{22})(#(?P<tokens>\d\.[\w-]{43}(,\d\.[\w-]{43})*))?")


@dataclass(frozen=True, slots=True)
class Display:
    """How a game is shown.

    Attributes:
        console: where.
        time: of a hint.
        emit: receives the events, if a program reads them; else None.
    """

    console: Console
    time: str
    emit: Callable[[dict[str, Any]], None] | None


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
    from clerestory.cli.serving import play_on_page  # a whole server, which a game in the terminal does not need

    require_plain_game(options)
    play_on_page(chosen_game(options.new_game).name, players, seconds, options.seed)
    return 0


def keeper_of(options: PlayOptions) -> str | None:
    """Return the server that hosts the game; None for a local game."""
    here = options.record is not None or options.table or options.web
    return options.server if not here and (options.start is None or is_kept(options.start)) else None


def play_there(server: str, options: PlayOptions, access: Access, shown: Display) -> int:
    """Play a hosted game, a new one without `start`; return the exit code."""
    with connected(server, access) as advisor:
        if options.start is None:
            game = create_game(advisor, options.new_game, options.names, options.seed, options.time)
        else:
            game = open_game(advisor, options.start)
        state = view_of(game.look())
        session = Session(state, [], advisor, shown.console, shown.time, 0, None, table=False, emit=shown.emit)
        session.shared = len(game.tokens) > 1
        return guarded(shown.console, partial(play_kept, KeptSession(game, session, server)))


def play_here(options: PlayOptions, access: Access, shown: Display, players: list[SeatPlayer]) -> int:
    """Play a local game; return the exit code."""
    start, record, table = options.start, options.record, options.table
    if start is None:
        opening = begin(options.new_game, len(players), options.seed, table)
    else:
        opening = resume(start, len(players), options.game)
    luck = drawn(options.seed)
    with advised(options.server, access) as advisor:
        session = Session(
            opening.state, players, advisor, shown.console, shown.time, luck, opening.seed, table, shown.emit
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
    """Return whether the game to continue is the last one in the file of its record."""
    return start is not None and record.is_file() and Path(start).is_file() and record.samefile(start)


def require_plain_game(options: PlayOptions) -> None:
    """Raise BadOption for options that cannot be combined with a game on the page."""
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
    return random_seed() if seed is None else seed


def resume(path: str, seats: int, game: str | None) -> Record:
    """Return the game in a file, and check its number of seats and its rules. Raises BadOption, GameError."""
    if (is_kept(path) or "#" in path) and not Path(path).exists():
        raise BadOption("START: is no file; a game of a server needs --server, and its whole ID#TOKENS")
    opening = last_game(path)
    require_same_game(game, opening.state.game.name)
    if opening.state.seats != seats:
        raise BadOption(f"--seats: {seats}, but the game has {opening.state.seats} seats")
    return opening


# -- hosted games ----------------------------------------------------------------------------------


@dataclass(slots=True)
class KeptSession:
    """A hosted game and its display in the terminal.

    Attributes:
        game: the game.
        session: its display: the position, the players, hints.
        target: address of the server, to show how to continue later.
        shown: version of the last event shown.
    """

    game: HostedGame
    session: Session
    target: str
    shown: int = field(default=0)


def is_kept(start: str) -> bool:
    """Return whether a word names a hosted game: its identifier, with or without `#` and the tokens of seats."""
    return NAMED.fullmatch(start) is not None


def open_game(advisor: Advisor, start: str) -> HostedGame:
    """Return the game that a word names: with its tokens, or after taking an open seat. Raises AdvisorError."""
    match = NAMED.fullmatch(start)
    assert match is not None
    if match["tokens"] is None:
        return advisor.games.join(match["id"])
    pairs = (pair.split(".", 1) for pair in match["tokens"].split(","))
    return advisor.games.open(match["id"], {int(seat): token for seat, token in pairs})


def create_game(advisor: Advisor, game: str, seats: Iterable[str], seed: int | None, time: str) -> HostedGame:
    """Return a new game; `seats` are words of `--seats`, or `open`. Raises AdvisorError."""
    words = [word_of_service(word.strip()) for word in seats]
    return advisor.games.create(game, words, seed=seed, time=time, listed="open" in words)


def word_of_service(word: str) -> str:
    """Return the name of the service for a word of `--seats`."""
    return f"bot:{word}" if word in CHARACTERS else word


def play_kept(kept: KeptSession) -> None:
    """Play until the game is over or the player leaves. Raises AdvisorError."""
    console = kept.session.console
    console.print(locale.say("play.help"))
    try:
        with kept.game.watch(from_version=0) as states:
            for seen in states:
                emit_snapshot(kept, seen)
                if seen.status == "over":
                    end(kept, seen)
                    return
                if not take_part(kept, seen):
                    break
    finally:
        if kept.game.seen is None or kept.game.seen.status != "over":
            console.print(farewell(kept), soft_wrap=True)


def farewell(kept: KeptSession) -> str:
    """Return the message for leaving: how to continue, unless the server ends with this command."""
    if kept.target == PRIVATE_SERVER:
        return locale.say("play.left")
    return locale.say("play.left.kept", command=command_of(kept.target, name_of(kept.game)))


def command_of(target: str, name: str) -> str:
    """Return the command that reopens a game; `--` protects a name that begins with `-`."""
    return f"clerestory play --server {target} {'-- ' if name.startswith('-') else ''}{name}"


def name_of(game: HostedGame) -> str:
    """Return the word that reopens a game, with the tokens of its seats."""
    tokens = ",".join(f"{seat}.{token}" for seat, token in game.tokens.items())
    return f"{game.game_id}#{tokens}" if tokens else game.game_id


def emit_snapshot(kept: KeptSession, seen: GameSnapshot) -> None:
    """Show the entries since the last time."""
    if not kept.shown and seen.status == "open":
        kept.session.console.print(locale.say("play.waiting", game=kept.game.game_id))
    for entry in seen.entries:
        if entry.version > kept.shown:
            tell_entry(kept, seen, entry)
    kept.shown = max(kept.shown, seen.version)


def tell_entry(kept: KeptSession, seen: GameSnapshot, entry: GameEntry) -> None:
    """Show one entry, to people and to a program."""
    session, rules = kept.session, from_position(seen.position(*list(kept.game.tokens)[:1])).game
    who = locale.say("play.chance") if entry.seat is None else locale.seat(rules, entry.seat)
    if entry.action is not None:
        announce(session, who, rules.parse_action(entry.action.text))
    else:
        what = locale.say(f"entry.{entry.what}")
        session.console.print(
            f"  {locale.say('entry', who=who, what=what, ply=entry.ply)}", markup=False, highlight=False
        )
    if session.emit is not None:
        action = {"action": entry.action.text, "label": entry.action.label} if entry.action is not None else {}
        session.emit({"version": entry.version, "ply": entry.ply, "what": entry.what, "seat": entry.seat, **action})


def take_part(kept: KeptSession, seen: GameSnapshot) -> bool:
    """Let the players at this terminal make the next decision, unless it has been made; False when they leave."""
    if seen.version < kept.game.version:
        return True
    question = seen.message.game.take_back
    if seen.message.game.HasField("take_back") and set(question.missing) & set(kept.game.tokens):
        return answer(kept, question.ply)
    if any(enter_shown(kept, seat, outcomes) for seat, outcomes in seen.private_outcomes.items()):
        return True
    return decide(kept, seen) if seen.legal else True


def enter_shown(kept: KeptSession, seat: int, outcomes: Iterable[Named]) -> bool:
    """Ask for the event that a seat was shown at the table, and send it; return whether the game may have moved on."""
    rules = kept.session.state.game
    outcome = ask_seat(kept.session, seat, tuple(rules.parse_action(outcome.text) for outcome in outcomes))
    if outcome is None:
        return False
    attempt(kept, lambda: kept.game.set_private_outcome(seat, outcome.text))
    return True


def answer(kept: KeptSession, ply: int) -> bool:
    """Ask for consent to a take-back; False when the players leave."""
    kept.session.console.print(locale.say("play.back", ply=ply))
    typed = ask(kept.session)
    if typed is None or typed == "quit":
        return False
    agreed = locale.say("play.back.yes").split()
    attempt(kept, lambda: kept.game.take_back(ply, decline=typed.lower() not in agreed))
    return True


def decide(kept: KeptSession, seen: GameSnapshot) -> bool:
    """Ask for an action until a valid one is entered; False when the players leave."""
    kept.session.state = view_of(seen)
    commands = Commands(partial(play, kept, seen.version), partial(undo, kept), partial(save, kept))
    return read_commands(kept.session, commands)


def play(kept: KeptSession, version: int, action: Action) -> bool:
    """Play an action chosen at a version of the game; True even if another change came first."""
    attempt(kept, lambda: kept.game.play(action.text, version=version))
    return True


def attempt(kept: KeptSession, do: Callable[[], object]) -> bool:
    """Try a change that may be rejected, for example after another change; return whether it was made."""
    try:
        do()
    except NotNow as error:
        kept.session.console.print(locale.error(error))
        return False
    return True


def view_of(seen: GameSnapshot) -> State:
    """Return the view of the seat to decide; the public view while a table waits for a chance event."""
    seats = [view.seat if view.HasField("seat") else None for view in seen.message.views]
    return from_position(seen.position(seen.seat if seen.seat in seats else seats[0]))


def undo(kept: KeptSession) -> bool:
    """Ask to go back to the last decision made at this terminal; return whether the request was sent."""
    line = kept.game.look(entries_from=1).entries
    mine = [entry.ply for entry in line if entry.seat in kept.game.tokens]
    if not mine:
        kept.session.console.print(locale.say("play.no_undo"))
        return False
    return attempt(kept, lambda: kept.game.take_back(mine[-1] - 1))


def save(kept: KeptSession, path: Path) -> None:
    """Write the record of the game, as far as the seats here know it. Raises OSError and AdvisorError."""
    path.write_text(kept.game.record(), encoding="utf-8")


def end(kept: KeptSession, seen: GameSnapshot) -> None:
    """Say who won."""
    if seen.outcome is None:
        kept.session.console.print(locale.say("play.abandoned"))
        return
    kept.session.state = view_of(seen)
    if kept.session.state.over:
        show_end(kept.session)
        return
    rules = kept.session.state.game
    winners = [locale.seat(rules, seat) for seat, share in enumerate(seen.outcome.win_shares) if share == 1]
    kept.session.console.print(locale.say("play.resigned", who=winners[0]))
