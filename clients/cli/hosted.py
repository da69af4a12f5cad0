"""`clerestory play --server`: a game that the server keeps, played in the terminal by one person or by several."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from clerestory.cli import locale
from clerestory.cli.playing import Commands, Session, announce, ask, ask_seat, read_commands, show_end
from clerestory.cli.servers import PRIVATE_SERVER
from clerestory.clients import Advisor, GameEntry, GameSnapshot, HostedGame, NotNow
from clerestory.clients.types import Action as Named
from clerestory.engine import Action, State, from_position
from clerestory.engine.tuning import CHARACTERS

NAMED = re.compile(r"(?P<id>[\w-]{22})(#(?P<tokens>\d\.[\w-]{43}(,\d\.[\w-]{43})*))?")


@dataclass(slots=True)
class KeptSession:
    """A game kept by the server, and how the terminal shows it.

    Attributes:
        game: the game.
        session: its display: the position, the players, hints.
        target: address of the server, to show how to continue later.
        shown: version up to which events have been shown.
    """

    game: HostedGame
    session: Session
    target: str
    shown: int = field(default=0)


def is_kept(start: str) -> bool:
    """Whether a word names a game of a server: its identifier, with `#` and the tokens of seats or without."""
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
    """Return what the service calls a word of `--seats`."""
    return f"bot:{word}" if word in CHARACTERS else word


def play_kept(kept: KeptSession) -> None:
    """Play until the game is over or the player leaves. Raises AdvisorError."""
    console = kept.session.console
    console.print(locale.say("play.help"))
    try:
        with kept.game.watch(from_version=0) as states:
            for seen in states:
                tell(kept, seen)
                if seen.status == "over":
                    end(kept, seen)
                    return
                if not take_part(kept, seen):
                    break
    finally:
        if kept.game.seen is None or kept.game.seen.status != "over":
            console.print(farewell(kept), soft_wrap=True)


def farewell(kept: KeptSession) -> str:
    """Return what is said to those who leave: how to continue, unless the server ends with this command."""
    if kept.target == PRIVATE_SERVER:
        return locale.say("play.left")
    return locale.say("play.left.kept", command=command_of(kept.target, name_of(kept.game)))


def command_of(target: str, name: str) -> str:
    """Return the command that reopens a game, whose name may begin with `-`, as an option does."""
    return f"clerestory play --server {target} {'-- ' if name.startswith('-') else ''}{name}"


def name_of(game: HostedGame) -> str:
    """Return the word that reopens a game, with the tokens of its seats."""
    tokens = ",".join(f"{seat}.{token}" for seat, token in game.tokens.items())
    return f"{game.game_id}#{tokens}" if tokens else game.game_id


def tell(kept: KeptSession, seen: GameSnapshot) -> None:
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
    if session.tell is not None:
        action = {"action": entry.action.text, "label": entry.action.label} if entry.action is not None else {}
        session.tell({"version": entry.version, "ply": entry.ply, "what": entry.what, "seat": entry.seat, **action})


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
    """Ask a player here what their seat was shown at the table, and send it; whether the game may have moved on."""
    rules = kept.session.state.game
    outcome = ask_seat(kept.session, seat, tuple(rules.parse_action(outcome.text) for outcome in outcomes))
    if outcome is None:
        return False
    attempt(kept, lambda: kept.game.set_private_outcome(seat, outcome.text))
    return True


def answer(kept: KeptSession, ply: int) -> bool:
    """Ask whether the game may go back; False when they leave."""
    kept.session.console.print(locale.say("play.back", ply=ply))
    typed = ask(kept.session)
    if typed is None or typed == "quit":
        return False
    agreed = locale.say("play.back.yes").split()
    attempt(kept, lambda: kept.game.take_back(ply, decline=typed.lower() not in agreed))
    return True


def decide(kept: KeptSession, seen: GameSnapshot) -> bool:
    """Ask for an action until a valid one is entered; False when they leave."""
    kept.session.state = view_of(seen)
    commands = Commands(partial(play, kept, seen.version), partial(undo, kept), partial(save, kept))
    return read_commands(kept.session, commands)


def play(kept: KeptSession, version: int, action: Action) -> bool:
    """Play an action chosen at a version of the game. If others were quicker, the game has gone on as well."""
    attempt(kept, lambda: kept.game.play(action.text, version=version))
    return True


def attempt(kept: KeptSession, do: Callable[[], object]) -> bool:
    """Try a change that the game may refuse, for example because others were faster; return whether it was made."""
    try:
        do()
    except NotNow as error:
        kept.session.console.print(locale.error(error))
        return False
    return True


def view_of(seen: GameSnapshot) -> State:
    """Return the view of the seat to decide; at a table, when a chance event is to be entered, the public view."""
    seats = [view.seat if view.HasField("seat") else None for view in seen.message.views]
    return from_position(seen.position(seen.seat if seen.seat in seats else seats[0]))


def undo(kept: KeptSession) -> bool:
    """Ask to go back to the last decision of somebody here; whether something was done."""
    line = kept.game.look(entries_from=1).entries
    mine = [entry.ply for entry in line if entry.seat in kept.game.tokens]
    if not mine:
        kept.session.console.print(locale.say("play.no_undo"))
        return False
    return attempt(kept, lambda: kept.game.take_back(mine[-1] - 1))


def save(kept: KeptSession, path: Path) -> None:
    """Write what is known of the game here. Raises OSError and AdvisorError."""
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
