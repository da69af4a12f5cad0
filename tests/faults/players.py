"""People and onlookers who play as fast as they can, and keep what they were told."""

import random
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import grpc

from clerestory.engine import read_records
from clerestory.v1 import games_pb2 as games

PERSON = games.SeatPlan(kind=games.SEAT_KIND_PERSON)
BOT = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(level=1))
GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)  # how calls end when a server is killed
LEFT = ("closed channel", "Channel closed")  # what gRPC says when we close it while others call


@dataclass
class Player:
    """Plays games, one after the other, and keeps the answers.

    Attributes:
        luck: of everything it chooses.
        takes_back: how likely it takes a move back instead of making one.
        made: its game, None between two.
        told: the action of each version that was acknowledged or shown, "" for what is none.
        pending: what was asked for and not answered.
        total: entries that it was told of.
        over: games that it played to their ends.
        secrets: its tokens.
        faults: how its calls failed while the server was there.
        forced: whether the server plays what is the only legal action.
        time_per_move: seconds that a person has, 0 for any number.
        played: entries that the server played as the only legal action.
    """

    luck: random.Random
    takes_back: float = 0.0
    made: Any = None
    request_id: str = ""
    told: dict[int, str] = field(default_factory=dict)
    pending: Any = None
    total: int = 0
    over: int = 0
    secrets: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    forced: bool = False
    time_per_move: int = 0
    played: int = 0

    def live(self, stub: Any) -> None:
        """Go on until the server is gone."""
        try:
            while True:
                self.go_on(stub)
        except grpc.RpcError as error:
            if error.code() not in GONE:
                self.faults.append(f"{self.pending} ended with {error}")
        except ValueError as error:
            if not any(words in str(error) for words in LEFT):
                raise

    def go_on(self, stub: Any) -> None:
        """Play a game to its end."""
        if self.made is None:
            self.begin(stub, [PERSON, PERSON])
        tokens = [one.token for one in self.made.seat_tokens]
        seen = stub.GetGame(games.GetGameRequest(game_id=self.made.game.game_id, tokens=tokens))
        while self.pending or seen.game.status != games.GAME_STATUS_OVER:  # also the last move is asked for again
            self.pending = self.pending or self.choose(seen, tokens)
            seen = self.send(stub)
            self.pending = None
            self.tell(seen.entries)
        self.finish(stub)

    def choose(self, seen: Any, tokens: list[str]) -> Any:
        """Return the next request: a move, or one back."""
        fields = {"game_id": self.made.game.game_id, "tokens": tokens, "version": seen.game.version}
        if seen.game.ply > 1 and self.luck.random() < self.takes_back:
            return games.TakeBackRequest(**fields, ply=self.luck.randrange(seen.game.ply - 1, seen.game.ply))
        actions = next(view.actions for view in seen.views if view.actions)
        assert len(actions) > 1 or not self.forced, "the server did not play what is the only legal action"
        return games.PlayActionRequest(**fields, action=self.luck.choice(actions).action.text)

    def send(self, stub: Any) -> Any:
        """Return the answer to what is pending."""
        plays = isinstance(self.pending, games.PlayActionRequest)
        return stub.PlayAction(self.pending) if plays else stub.TakeBack(self.pending)

    def begin(self, stub: Any, seats: list[games.SeatPlan]) -> None:
        """Create a game; repeat the request if it was not answered."""
        self.request_id = self.request_id or str(UUID(int=self.luck.getrandbits(128)))
        options = games.GameOptions(take_backs=games.TAKE_BACKS_ALL, play_forced=self.forced)
        if self.time_per_move:
            options.time_per_move.FromSeconds(self.time_per_move)
        request = games.CreateGameRequest(game="duel", seats=seats, request_id=self.request_id, options=options)
        self.made, self.request_id = stub.CreateGame(request), ""
        self.secrets |= {self.made.owner_token, *(one.token for one in self.made.seat_tokens)}

    def tell(self, entries: Any) -> None:
        """Store the entries received."""
        self.told |= {entry.version: entry.applied.action.text for entry in entries}
        self.total += len(entries)
        self.played += sum(entry.forced for entry in entries)

    def finish(self, stub: Any) -> None:
        """Compare a game that is over with the answers, and replay it by the rules."""
        self.compare(stub)
        request = games.GetRecordRequest(game_id=self.made.game.game_id, tokens=[self.made.owner_token])
        (record,) = read_records(stub.GetRecord(request).record.splitlines())
        assert record.state.over
        self.made, self.told = None, {}
        self.over += 1

    def compare(self, stub: Any) -> None:
        """Compare the stored games with the answers."""
        if self.made is None:
            return
        kept = log_of(stub, self.made.game.game_id, self.made.owner_token)
        assert [entry.version for entry in kept] == list(range(1, len(kept) + 1))
        texts = {entry.version: entry.applied.action.text for entry in kept}
        assert {version: texts.get(version) for version in self.told} == self.told
        if self.pending is None and self.told:
            assert max(texts) == max(self.told), "something was played that nobody asked for"


def log_of(stub: Any, game_id: str, token: str) -> list[Any]:
    """Return all that ever happened in a game, also what was taken back."""
    entries: list[Any] = []
    now = stub.GetGame(games.GetGameRequest(game_id=game_id, tokens=[token])).game.version
    stream = stub.WatchGame(games.WatchGameRequest(game_id=game_id, tokens=[token], from_version=0))
    while not entries or entries[-1].version < now:  # a long log comes in parts
        entries += next(stream).entries
    stream.cancel()
    return entries


class Watcher(Player):
    """Watches a game of bots."""

    def go_on(self, stub: Any) -> None:
        """Watch a game to its end."""
        if self.made is None:
            self.begin(stub, [BOT, BOT])
        request = games.WatchGameRequest(
            game_id=self.made.game.game_id, tokens=[self.made.owner_token], from_version=max(self.told, default=0)
        )
        for state in stub.WatchGame(request):
            self.tell(state.entries)
        self.pending = None
        self.finish(stub)

    def compare(self, stub: Any) -> None:
        """Compare what is kept with what was shown; bots go on meanwhile."""
        self.pending = "nothing"
        super().compare(stub)
