"""Creates stores with all kinds of games, for tests of later versions: `python -m tools.stored_games FOLDER`.

Each store is written by a server of the installed version, which is then shut down. A second file contains the server's
last answers about every game, with its tokens: the game, its record, and its review.
"""

import gzip
import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import grpc
import typer
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import MessageToDict

from clerestory.cli.servers import embedded_child
from clerestory.v1 import annotation_pb2 as annotations
from clerestory.v1 import games_pb2 as games
from clerestory.v1.annotation_pb2_grpc import AnnotationServiceStub
from clerestory.v1.games_pb2_grpc import GameServiceStub

PERSON = games.SeatPlan(kind=games.SEAT_KIND_PERSON, name="Ann")
OPEN = games.SeatPlan(kind=games.SEAT_KIND_OPEN)
QUICK = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(level=1))
MABEL = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(character="mabel", time_budget=Duration(seconds=60)))
SLOW = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=Duration(seconds=60)))
ITERATIONS = 60  # of a review


@dataclass(frozen=True)
class Made:
    """A created game: the answer to its creation, and the tokens of its seats."""

    stub: Any
    answer: games.CreateGameResponse
    tokens: dict[int, str]
    request_id: str

    @property
    def game_id(self) -> str:
        return self.answer.game.game_id

    def look(self, tokens: list[str]) -> games.GetGameResponse:
        """Return the view of the holders of these tokens, with all entries."""
        request = games.GetGameRequest(game_id=self.game_id, tokens=tokens, entries_from_ply=1)
        seen: games.GetGameResponse = self.stub.GetGame(request)
        return seen

    def act(self, method: str, **fields: Any) -> Any:
        """Call a method of the game with all tokens."""
        kind = getattr(games, f"{method}Request")
        tokens = [self.answer.owner_token, *self.tokens.values()]
        return getattr(self.stub, method)(kind(game_id=self.game_id, tokens=tokens, **fields))

    def play(self, most: int, luck: random.Random) -> None:
        """Play at random for all people, for `most` plies or to the end."""
        while True:
            seen = self.look([*self.tokens.values()])
            if seen.game.status != games.GAME_STATUS_RUNNING or seen.ply >= most:
                return
            actions = [action.action.text for view in seen.views for action in view.actions]
            if actions:
                self.act("PlayAction", version=seen.game.version, action=luck.choice(actions))
            else:
                time.sleep(0.02)  # a bot is to move


def joined(made: Made, luck: random.Random) -> None:
    """Take the open seat, give another to a bot, and continue playing."""
    taken = made.stub.JoinGame(
        games.JoinGameRequest(
            game_id=made.game_id, name="Bo", request_id=f"to-join-the-game {made.game_id}".replace(" ", "-")
        )
    )
    made.tokens[taken.seat_token.seat] = taken.seat_token.token
    made.play(20, luck)
    made.act("SetSeat", seat=1, plan=QUICK)
    del made.tokens[1]  # this token can no longer play
    made.play(60, luck)


def taken_back(made: Made, luck: random.Random) -> None:
    """Accept a take-back, decline one, and request a third."""
    first, second = made.tokens.values()
    for answers in ((False,), (True,), ()):
        made.play(made.look([first]).ply + 6, luck)
        seen = made.look([first])
        for token, decline in zip((first, second), (False, *answers), strict=False):
            request = games.TakeBackRequest(
                game_id=made.game_id,
                tokens=[token],
                version=made.look([first]).game.version,
                ply=seen.ply - 3,
                decline=decline,
            )
            made.stub.TakeBack(request)


def ended(reason: games.EndReason.ValueType) -> Callable[[Made, random.Random], None]:
    """Return a function that ends a game early."""

    def end(made: Made, luck: random.Random) -> None:
        made.play(3, luck)
        tokens = [made.tokens[0] if reason == games.END_REASON_RESIGNED else made.answer.owner_token]
        made.stub.EndGame(games.EndGameRequest(game_id=made.game_id, tokens=tokens, reason=reason))

    return end


def to(plies: int) -> Callable[[Made, random.Random], None]:
    """Return a function that plays a number of plies."""
    return lambda made, luck: made.play(plies, luck)


ALL = 10_000  # plies
LINK = games.GameOptions(onlookers=games.ONLOOKERS_LINK, delay_plies=2)
PUBLIC = games.GameOptions(onlookers=games.ONLOOKERS_ALL)
FREE = games.GameOptions(take_backs=games.TAKE_BACKS_ALL)
TABLE = games.GameOptions(table=True)
DAYS = games.GameOptions(time_per_move=Duration(seconds=29 * 24 * 3600), play_on=games.Bot(level=2))
MINUTE = games.GameOptions(time_per_move=Duration(seconds=60), play_on=games.Bot(level=1))
LISTED = games.GameOptions(listed=True)
FORCED = games.GameOptions(play_forced=True)

# name of a game, seats, options, actions
GAMES: dict[str, tuple[str, list[games.SeatPlan], games.GameOptions, Callable[[Made, random.Random], None]]] = {
    "toy with a bot": ("toy", [PERSON, QUICK], LINK, to(2)),
    "toy over": ("toy", [PERSON, PERSON], PUBLIC, to(ALL)),
    "toy open": ("toy", [PERSON, OPEN], LISTED, to(0)),
    "toy abandoned": ("toy", [PERSON, PERSON], games.GameOptions(), ended(games.END_REASON_ABANDONED)),
    "toy at a table": ("toy", [PERSON, PERSON], TABLE, to(3)),
    "duel taken back": ("duel", [PERSON, PERSON], FREE, taken_back),
    "duel over": ("duel", [PERSON, PERSON], LINK, to(ALL)),
    "duel resigned": ("duel", [PERSON, PERSON], PUBLIC, ended(games.END_REASON_RESIGNED)),
    "duel with a clock": ("duel", [PERSON, PERSON], MINUTE, to(20)),
    "cathedral over": ("cathedral", [PERSON, PERSON], PUBLIC, to(ALL)),
    "cathedral with a bot": ("cathedral", [PERSON, QUICK, PERSON], DAYS, to(90)),
    "cathedral joined": ("cathedral", [PERSON, PERSON, OPEN, PERSON], games.GameOptions(), joined),
    "cathedral open": ("cathedral", [PERSON, OPEN], LINK, to(0)),
    "cathedral at a table": ("cathedral", [PERSON, PERSON], TABLE, to(40)),
    "cathedral forced": ("cathedral", [PERSON, PERSON], FORCED, to(60)),
    "toy with a character": ("toy", [PERSON, MABEL], FREE, to(2)),
    "duel of bots": ("duel", [SLOW, SLOW], PUBLIC, to(0)),  # the last one: nothing is reviewed while bots search
}


def make(stub: Any, number: int, name: str) -> Made:
    """Create a game and play it."""
    game, seats, options, play = GAMES[name]
    request_id = f"the-game-number-{number}" if number % 2 else ""
    seed = None if options.table else 100 + number
    request = games.CreateGameRequest(game=game, seats=seats, options=options, request_id=request_id, seed=seed)
    answer = stub.CreateGame(request)
    made = Made(stub, answer, {one.seat: one.token for one in answer.seat_tokens}, request_id)
    play(made, random.Random(number))
    return made


def answers_about(made: Made, channel: grpc.Channel) -> dict[str, Any]:
    """Return the server's answers about a game."""
    public = made.answer.game.options.onlookers == games.ONLOOKERS_ALL
    others = [[]] if public else [[made.answer.onlooker_token]] if made.answer.onlooker_token else []
    viewers = [*([token] for token in made.tokens.values()), [made.answer.owner_token], *others]
    tokens = [*made.tokens.values()] or [made.answer.owner_token]
    record = made.stub.GetRecord(games.GetRecordRequest(game_id=made.game_id, tokens=tokens)).record
    over = made.look(tokens).game.end.reason == games.END_REASON_PLAYED
    return {
        "game_id": made.game_id,
        "request_id": made.request_id,
        "owner": made.answer.owner_token,
        "views": [[tokens, MessageToDict(made.look(tokens))] for tokens in viewers],
        "record": record,
        "review": review(made, tokens, channel) if over else None,
    }


def review(made: Made, tokens: list[str], channel: grpc.Channel) -> dict[str, Any]:
    """Request the review of a game, which is then in the store."""
    stub: Any = AnnotationServiceStub(channel)
    reference = annotations.HostedGameReference(game_id=made.game_id, tokens=tokens)
    request = annotations.AnnotateGameRequest(hosted_game=reference, iterations=ITERATIONS)
    [*_, last] = stub.AnnotateGame(request)
    return dict(MessageToDict(last.review))


def fill(store: str) -> dict[str, Any]:
    """Fill a store, and return its server's last answers about each game."""
    with embedded_child("--store", store, "--workers", "1") as child, grpc.insecure_channel(child.target) as channel:
        stub = GameServiceStub(channel)
        return {name: answers_about(make(stub, number, name), channel) for number, name in enumerate(GAMES)}


def write(path: Path, data: bytes) -> None:
    """Write a compressed file that only depends on its content."""
    path.write_bytes(gzip.compress(data, mtime=0))


@contextmanager
def scratch(path: Path) -> Iterator[Path]:
    """Yield a file that is deleted afterwards."""
    path.unlink(missing_ok=True)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def main(
    folder: Annotated[Path, typer.Argument(help="Where to write.")],
    database: Annotated[str, typer.Option(help="Address of an empty PostgreSQL database.")] = "",
) -> None:
    """Write a store in SQLite and, given a database, a dump of one in PostgreSQL, each with what is in it."""
    with scratch(folder / "games.sqlite") as path:
        write(folder / "sqlite.json.gz", json.dumps(fill(str(path))).encode())
        write(folder / "games.sqlite.gz", path.read_bytes())
    if database:
        write(folder / "postgres.json.gz", json.dumps(fill(database)).encode())
        write(folder / "games.sql.gz", dumped(database))


def dumped(database: str) -> bytes:
    """Return a dump of a database as statements that need no psql."""
    command = ["pg_dump", "--no-owner", "--no-privileges", "--inserts", database]
    lines = subprocess.run(command, check=True, capture_output=True).stdout.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith((b"\\", b"--")))


if __name__ == "__main__":
    typer.run(main)
