"""Playing a game in the terminal: turns, display and commands."""

import errno
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clerestory.cli import locale
from clerestory.cli.answers import answer_view
from clerestory.cli.game_files import Recording
from clerestory.cli.options import require_open, typed_line
from clerestory.cli.screen import ask_owner, ending, find_action, known, out_of_sight, shareable, show_actions
from clerestory.clients import Advisor, AdvisorError
from clerestory.engine import NATURE, Action, Record, Rng, State
from clerestory.engine.scoring import outcome, point_sources
from clerestory.engine.tuning import CHARACTERS
from clerestory.i18n.characters import manner_in_words, name_of_character

if TYPE_CHECKING:
    from clerestory.cli.local_advisor import LocalAdvisor

HINTED = 5  # lines of a hint
HELP = ("number", "text", "?", "show", "peek", "undo", "save", "quit", "help")  # the input, or a name for it


@dataclass(frozen=True, slots=True)
class SeatPlayer:
    """Who plays a seat: a person, or the server at a level (None: full strength), with a character or without one."""

    person: bool
    level: int | None
    character: str = ""


@dataclass(slots=True)
class Session:
    """A game that is being played.

    Attributes:
        state: the game, with its history.
        players: by seat.
        advisor: plays for the bots, and gives the hints.
        console: for the output.
        time: for a move of a bot, and for a hint.
        luck: seed of the chance events; it is combined with the ply, so taking back a move does not change them.
        seed: of the opening, for the record; None if it was not dealt from a seed.
        table: chance outcomes are typed in, and people carry out the moves of the bots.
        emit: receives the events, if a program reads them; else None.
        recording: where the game is recorded; None for nowhere.
        shared: others see the screen too, so what only one seat may see is hidden.
        withheld: by seat, possible coming events about which it did not answer; it is not asked again.
    """

    state: State
    players: list[SeatPlayer]
    advisor: "Advisor | LocalAdvisor"
    console: Console
    time: str
    luck: int
    seed: int | None
    table: bool
    emit: Callable[[dict[str, Any]], None] | None = None
    recording: Recording | None = None
    shared: bool = False
    withheld: dict[int, tuple[Action, ...]] = field(default_factory=dict)

    def play(self, action: Action | str) -> None:
        """Play an action, and record it before it is shown."""
        self.state.play(action)
        self.keep()

    def keep(self) -> None:
        """Update the record to the current game."""
        if self.recording is not None:
            self.recording.follow(self.state)

    def warn(self, text: str) -> None:
        """Show a warning."""
        self.console.print(text, style="bold")


def play_on(session: Session) -> None:
    """Play until the game is over or the player leaves. Raises AdvisorError if a bot gets no answer."""
    introduce(session)
    session.console.print(locale.say("play.help"))
    while not session.state.over:
        plies = session.state.plies
        if not step(session):
            session.console.print(locale.say("play.left"))
            return
        tell_change(session, plies)
    show_end(session)


def introduce(session: Session) -> None:
    """Say which characters play."""
    for seat, player in enumerate(session.players):
        if player.character:
            session.console.print(opponent(locale.seat(session.state.game, seat), player.character))


def opponent(who: str, character: str) -> str:
    """Return the name, level and manner of a character in the language of the terminal, after a prefix."""
    name, manner = (say(character, locale.language()) for say in (name_of_character, manner_in_words))
    return locale.say("play.opponent", who=who, name=name, level=CHARACTERS[character], manner=manner)


def tell_change(session: Session, plies: int) -> None:
    """Report to a program the plies played or taken back since the game was `plies` long."""
    state, now = session.state, session.state.plies
    if session.emit is None:
        return
    if now < plies:
        session.emit({"ply": now, "undone": plies - now})
    elif now > plies:
        before = state.copy(history=True)
        action = before.undo()
        seat = None if before.turn == NATURE else before.turn
        session.emit({"ply": now, "seat": seat, "action": action.text, "label": action.label})


def step(session: Session) -> bool:
    """Play one ply; False when the player leaves."""
    turn = session.state.turn
    if session.table and turn != NATURE:
        learn(session)
    if turn == NATURE and not session.table:
        draw(session)
    elif turn == NATURE or session.players[turn].person:
        return decide(session)
    else:
        answer_for(session)
    return True


def learn(session: Session) -> None:
    """Ask for the event that the seat to decide was shown at the table, unless it has answered or declined."""
    state, seat = session.state, session.state.turn
    outcome = ask_seat(session, seat, state.private_outcomes(seat))
    if outcome is not None:
        state.set_private_outcome(seat, outcome)


def ask_seat(session: Session, seat: int, possible: tuple[Action, ...]) -> Action | None:
    """Ask a seat, once, which of the possible events it was shown; None if it does not answer."""
    if not possible or session.withheld.get(seat) == possible:
        return None
    outcome = ask_owner(session.console, session.state.game, seat, possible, partial(read_line, session, unseen=True))
    if outcome is None:
        session.withheld[seat] = possible
    return outcome


def draw(session: Session) -> None:
    """Draw the pending chance event."""
    state = session.state
    action = state.draw(Rng((session.luck + state.plies) % 2**64))
    session.play(action)
    announce(session, locale.say("play.chance"), action)


def answer_for(session: Session) -> None:
    """Play for a bot, which sees what its seat sees."""
    state = session.state
    player, name = session.players[state.turn], locale.seat(state.game, state.turn)
    answer = session.advisor.recommend(known_to_mover(session), session.time, **asked_of(player), lines=1)
    if answer.best is None:
        raise AdvisorError(f"the server named no action for {name}")
    if player.level is not None and answer.level != player.level:
        session.console.print(locale.say("play.no_levels", who=name), style="dim")
    session.play(answer.best.text)
    announce(session, name, state.game.parse_action(answer.best.text))


def asked_of(player: SeatPlayer) -> dict[str, Any]:
    """Return the options of a question for the move of a bot."""
    return {"level": player.level, "character": player.character or None}


def known_to_mover(session: Session) -> State:
    """Return the position as known to the seat to decide."""
    return known(session.state, (session.luck + session.state.plies) % 2**64)


def announce(session: Session, who: str, action: Action) -> None:
    """Show one ply."""
    line = f"  {locale.say('told', who=who, what=locale.label(session.state.game, action))} "
    session.console.print(Text.assemble(line, (f"({action.text})", "dim")) if locale.is_english() else line.rstrip())


def decide(session: Session) -> bool:
    """Read commands until an action is played; False when the player leaves."""
    return read_commands(session, Commands(partial(play, session), partial(undo, session), partial(save, session)))


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands that change or save a game, which differ between local and hosted games.

    Attributes:
        play: plays an action; returns whether the game may have moved on.
        undo: takes the last decision back; returns whether the game may have moved on.
        save: writes the game to a file. Raises OSError or AdvisorError.
    """

    play: Callable[[Action], bool]
    undo: Callable[[], bool]
    save: Callable[[Path], None]


def read_commands(session: Session, commands: Commands) -> bool:
    """Show the position, and carry out commands until the game may have moved on; False when the player leaves."""
    show(session)
    while True:
        typed = ask(session)
        if typed is None or typed == "quit":
            return False
        if obey(session, commands, typed):
            return True


def obey(session: Session, commands: Commands, typed: str) -> bool:
    """Carry out a command; return whether the game may have moved on."""
    command, _, rest = typed.partition(" ")
    if typed == "undo":
        return commands.undo()
    if command == "save":
        keep(session, rest.strip(), commands.save)
    elif typed in SHOWING:
        SHOWING[typed](session)
    elif typed and (action := find(session, typed)):
        return commands.play(action)
    return False


def ask(session: Session) -> str | None:
    """Return the next line typed, None at the end of input."""
    turn = session.state.turn
    name = locale.say("play.asked") if turn == NATURE else locale.seat(session.state.game, turn)
    return read_line(session, f"{name}> ")


def read_line(session: Session, prompt: str, *, unseen: bool = False) -> str | None:
    """Return the next line typed, not echoed if `unseen`; None at the end of input. Raises BadOption as typed_line."""
    require_open("standard input", sys.stdin)
    if session.emit is not None:  # standard output belongs to the program
        session.console.print(prompt, end="")
        prompt = ""
    try:
        return (getpass(prompt) if unseen and sys.stdin.isatty() else typed_line(prompt)).strip()
    except (EOFError, UnicodeDecodeError):
        session.console.print()
        return None


def show_help(session: Session) -> None:
    """List the commands."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for name in HELP:
        typed = locale.say(f"help.typed.{name}") if name in ("number", "text", "save") else name
        table.add_row(f"  {typed}", *locale.cells([locale.say(f"help.{'hint' if name == '?' else name}")]))
    session.console.print(table)


def show(session: Session) -> None:
    """Show the position as the seat to decide sees it, and the legal actions, numbered and grouped by kind."""
    state = session.state
    view, more = shareable(state) if session.shared else (state.observe(state.turn), False)
    session.console.print(f"\n{locale.picture(view)}")
    if more:
        session.console.print(locale.say("play.early", who=locale.seat(state.game, state.turn)))
    chance = state.turn == NATURE
    due = locale.say("play.ask") if chance else locale.say("play.decide", who=locale.seat(state.game, state.turn))
    session.console.print(f"\n{due}")
    show_actions(session.console, state.game, state.legal_actions())


def peek(session: Session) -> None:
    """Show everything that the seat to decide knows; on a shared screen hide it again afterwards."""
    with out_of_sight(session.console, session.shared, partial(read_line, session)):
        session.console.print(f"\n{locale.picture(session.state.observe(session.state.turn))}\n")


def find(session: Session, typed: str) -> Action | None:
    """Return the legal action that the input names; print why if there is none."""
    return find_action(session.console, session.state.game, session.state.legal_actions(), typed)


def hint(session: Session) -> None:
    """Show the best actions of the seat to decide, and why."""
    state = session.state
    if state.turn == NATURE:
        session.console.print(locale.say("play.no_decision"))
        return
    try:
        answer = session.advisor.recommend(known_to_mover(session), session.time, lines=HINTED)
    except AdvisorError as error:
        session.console.print(locale.say("play.no_hint", why=locale.error(error)))
        return
    foresees = session.shared and shareable(state)[1]
    with out_of_sight(session.console, foresees, partial(read_line, session)):
        session.console.print(answer_view(answer, state, session.console.width))


SHOWING: dict[str, Callable[[Session], None]] = {  # input -> the function that shows something
    "?": hint,
    "help": show_help,
    "h": show_help,
    "show": show,
    "peek": peek,
}


def play(session: Session, action: Action) -> bool:
    """Play an action."""
    session.play(action)
    return True


def undo(session: Session) -> bool:
    """Go back to the last decision of a person, or by one ply at a physical table; False if there is none."""
    state, plies = session.state, session.state.plies
    back = state.copy(history=True)
    while back.plies:
        back.undo()
        if session.table or (back.turn != NATURE and session.players[back.turn].person):
            for _ in range(plies - back.plies):
                state.undo()
            session.keep()
            return True
    session.console.print(locale.say("play.no_undo"))
    return False


def keep(session: Session, path: str, write: Callable[[Path], None]) -> None:
    """Save the game to the path typed; print a failure instead of raising it."""
    if not path:
        session.console.print(locale.say("play.save.where"))
        return
    try:
        write(Path(path))
    except (OSError, AdvisorError) as error:
        why = getattr(error, "strerror", None) or locale.error(error)
        session.console.print(locale.say("play.save.failed", path=path, why=why))
    else:
        session.console.print(locale.say("play.saved", path=path))


def save(session: Session, path: Path) -> None:
    """Write the game so far as a record, replacing the file. Raises OSError."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    lines = Record(session.state, session.seed).lines()
    part = path.with_name(path.name + ".part")
    try:
        part.write_text("".join(f"{line}\n" for line in lines))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def show_end(session: Session) -> None:
    """Print the winner, the margin, and the sources of the points."""
    state = session.state
    first, *sources = ending(state)
    session.console.print(f"\n{locale.picture(state)}\n")
    session.console.print(first, style="bold")
    for line in sources:
        session.console.print(line)
    if session.emit is not None:
        session.emit(
            {
                "ply": state.plies,
                "win_shares": list(state.win_shares()),
                "margins": list(state.margins()),
                "outcome": outcome(state),
                "points": point_sources(state),
            }
        )
