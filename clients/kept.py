"""Games that a server keeps: made, joined, played, watched; whoever plays them needs no rules and keeps no position."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar, Unpack
from uuid import uuid4

from clerestory.clients.exchange import Exchange, awaited, blocking
from clerestory.clients.kept_wire import GameChoices, GameSnapshot, read_snapshot, seat_plan, value_of, write_choices
from clerestory.clients.referee import Call, plain
from clerestory.clients.wire import Time, action_texts, set_field
from clerestory.v1 import games_pb2 as api

SERVICE = "GameService."  # before the names of its methods, of which one is another service's as well
LATER = 30 * 24 * 3600.0  # seconds that a game is watched, at most

G = TypeVar("G", bound="Course")


class Course:
    """A game that a server keeps, and the tokens by which one looks at it; `KeptGame` and `AsyncKeptGame` play it.

    Attributes:
        game_id: its identifier.
        tokens: of the seats, by seat; hand one on with care: whoever has it plays there.
        owner_token: "" for whoever did not make the game.
        onlooker_token: "" where there is none.
        seen: as it was seen last.
    """

    def __init__(self, call: Call, watch: Callable[..., Any], game_id: str) -> None:
        self._call = call
        self._watch_from = watch
        self.game_id = game_id
        self.tokens: dict[int, str] = {}
        self.owner_token = self.onlooker_token = ""
        self.seen: GameSnapshot | None = None

    @property
    def version(self) -> int:
        """Of the game as it was seen last, 0 before."""
        return self.seen.version if self.seen is not None else 0

    def _all_tokens(self) -> list[str]:
        """Return what is looked through."""
        return [*self.tokens.values()] or [token for token in (self.owner_token or self.onlooker_token,) if token]

    def _look(self, ply: int | None = None, *, entries_from: int | None = None) -> Exchange[GameSnapshot]:
        """Return the game as it is, with the position of a ply.

        Args:
            ply: 0 to the present one; None for that.
            entries_from: first of the plies to be told in `entries`, from 1 on; None for none.

        Raises AdvisorError.
        """
        request = api.GetGameRequest(game_id=self.game_id, tokens=self._all_tokens())
        for field, value in (("ply", ply), ("entries_from_ply", entries_from)):
            if value is not None:
                set_field(request, field, value)
        return Exchange(f"{SERVICE}GetGame", request, self._take)

    def _play(self, action: Any, *, version: int | None = None) -> Exchange[GameSnapshot]:
        """Play an action, or enter what came up at a table; return the game after it, luck included.

        Args:
            action: its text, or an action.
            version: of the game that it was chosen for; None for the one seen last.

        Raises AdvisorError; of reason STALE_VERSION where something else has happened, and the game is as it is.
        """
        [text] = action_texts([action])
        request = api.PlayActionRequest(game_id=self.game_id, tokens=self._everything(), action=text)
        set_field(request, "version", self.version if version is None else version)
        return Exchange(f"{SERVICE}PlayAction", request, self._take)

    def _say(self, seat: int, outcome: Any) -> Exchange[GameSnapshot]:
        """Say what a seat has been shown at a table of what is to come; return the game after it.

        Args:
            seat: held here, or a bot's in a game that was made here.
            outcome: one of `GameSnapshot.unsaid` of the seat, or its text.

        Raises AdvisorError.
        """
        [text] = action_texts([outcome])
        tokens = [self.tokens.get(seat, self.owner_token)]
        request = api.SayShownRequest(game_id=self.game_id, tokens=tokens, version=self.version, outcome=text)
        set_field(request, "seat", seat)
        return Exchange(f"{SERVICE}SayShown", request, self._take)

    def _everything(self) -> list[str]:
        return [*self.tokens.values(), *([self.owner_token] if self.owner_token else [])]

    def _take_back(self, ply: int, *, decline: bool = False, seat: int | None = None) -> Exchange[GameSnapshot]:
        """Take the game back to a ply, ask the others whether it may, or answer; return the game after it.

        Args:
            ply: below the present one.
            decline: say no to what was asked.
            seat: that says so, of several; None for all that are held here.

        Raises AdvisorError.
        """
        tokens = [*self.tokens.values()] if seat is None else [self.tokens[seat]]
        request = api.TakeBackRequest(game_id=self.game_id, tokens=tokens, version=self.version, decline=decline)
        set_field(request, "ply", ply)
        return Exchange(f"{SERVICE}TakeBack", request, self._take)

    def _set_seat(self, seat: int, who: str) -> Exchange[None]:
        """Say who holds a seat: `bot`, `level:N`, `person`, `person:NAME` (its own again) or `open`.

        Raises AdvisorError.
        """
        request = api.SetSeatRequest(game_id=self.game_id, tokens=self._everything(), plan=seat_plan(who, "who"))
        set_field(request, "seat", seat)
        return Exchange(f"{SERVICE}SetSeat", request, lambda _: None)

    def _resign(self) -> Exchange[None]:
        """Resign: of two players the other has won, among more a bot goes on. Raises AdvisorError."""
        return self._end(api.END_REASON_RESIGNED)

    def _abandon(self) -> Exchange[None]:
        """End the game, which nobody has won; for its owner. Raises AdvisorError."""
        return self._end(api.END_REASON_ABANDONED)

    def _end(self, reason: "api.EndReason.ValueType") -> Exchange[None]:
        request = api.EndGameRequest(game_id=self.game_id, tokens=self._everything(), reason=reason)
        return Exchange(f"{SERVICE}EndGame", request, lambda _: None)

    def _record(self) -> Exchange[str]:
        """Return the record as JSON lines: the whole when the game is over, else what is known. Raises AdvisorError."""
        request = api.GetRecordRequest(game_id=self.game_id, tokens=self._all_tokens())
        return Exchange(f"{SERVICE}GetRecord", request, lambda answer: str(answer.record))

    def watch(self, *, from_version: int | None = None) -> Any:
        """Return the states of the game as they come, until it is over; a server that is away is waited for.

        Where nothing happens for 15 s, the last state comes again, without entries.

        Args:
            from_version: the first state tells what has happened since; None: nothing.
        """
        known = from_version

        def ask() -> Exchange[GameSnapshot]:
            request = api.WatchGameRequest(game_id=self.game_id, tokens=self._all_tokens(), from_version=known)
            return Exchange(f"{SERVICE}WatchGame", request, read, LATER)

        def read(message: Any) -> GameSnapshot:
            nonlocal known
            seen = self._take(message)
            known = seen.version
            return seen

        return self._watch_from(ask)

    def _take(self, message: Any) -> GameSnapshot:
        """Return a message as it is seen, and keep it; at a sign of life, nothing has happened."""
        if message.HasField("game") or self.seen is None:
            self.seen = read_snapshot(message)
            return self.seen
        return replace(self.seen, entries=())


class Games(Generic[G]):
    """The games that a server keeps. Every method raises AdvisorError.

    Args:
        call: makes an exchange, and returns the message that comes back.
        watch: begins a stream, given what makes the exchange for it.
    """

    _game: Callable[..., G]

    def __init__(self, call: Call, watch: Callable[..., Any]) -> None:
        self._call = call
        self._watch = watch

    def _create(
        self,
        game: str,
        seats: Sequence[str],
        *,
        seed: int | None = None,
        time: Time | None = None,
        **choices: Unpack[GameChoices],
    ) -> Exchange[G]:
        """Return a new game, with tokens of the owner and of each person's seat.

        Args:
            game: name of its rules.
            seats: who holds each: `person` or `person:NAME` for those at this client, `open` for whoever joins, `bot`
                or `level:N`.
            seed: of all luck, below 2^53; None: drawn.
            time: of bots for a move; None: 1 s.
            choices: see `GameChoices`.
        """
        plans = [seat_plan(who, f"seats[{number}]", time) for number, who in enumerate(seats)]
        options = write_choices(choices)
        request = api.CreateGameRequest(game=game, seats=plans, options=options, request_id=str(uuid4()))
        if seed is not None:
            set_field(request, "seed", seed)
        return Exchange(f"{SERVICE}CreateGame", request, self._made)

    def _made(self, answer: api.CreateGameResponse) -> G:
        game = self._game(self._call, self._watch, answer.game.game_id)
        game.owner_token, game.onlooker_token = answer.owner_token, answer.onlooker_token
        game.tokens = {one.seat: one.token for one in answer.seat_tokens}
        return game

    def _join(self, game_id: str, *, seat: int | None = None, name: str = "") -> Exchange[G]:
        """Return a game in which an open seat was taken; None: the first of them."""
        request = api.JoinGameRequest(game_id=game_id, name=name, request_id=str(uuid4()))
        if seat is not None:
            set_field(request, "seat", seat)

        def read(answer: api.JoinGameResponse) -> G:
            game = self._game(self._call, self._watch, game_id)
            game.tokens = {answer.seat_token.seat: answer.seat_token.token}
            return game

        return Exchange(f"{SERVICE}JoinGame", request, read)

    def open(self, game_id: str, tokens: Mapping[int, str] | None = None, *, owner: str = "", onlooker: str = "") -> G:
        """Return a game by its tokens, that were kept; nothing is asked yet.

        Args:
            game_id: its identifier.
            tokens: of seats, by seat.
            owner: token of the owner.
            onlooker: token for onlookers.
        """
        game = self._game(self._call, self._watch, game_id)
        game.tokens, game.owner_token, game.onlooker_token = dict(tokens or {}), owner, onlooker
        return game

    def _list(
        self, *, game: str = "", status: str = "", tokens: Iterable[str] = (), page: str = "", size: int = 0
    ) -> Exchange[tuple[list[dict[str, Any]], str]]:
        """Return a page of games as dictionaries, the newest first, and the name of the next page, "" for none.

        Args:
            game: only those of this name.
            status: only those that are `open`, `running` or `over`.
            tokens: only those that they belong to; none: those that are shown to everybody.
            page: that an earlier answer named, "" for the first.
            size: games of a page, 0 for the usual.
        """
        request = api.GameServiceListGamesRequest(game=game, page_token=page, tokens=tokens)
        set_field(request, "page_size", size)
        if status:
            request.status = value_of("status", "GAME_STATUS_", status, api.GameStatus)
        return Exchange(
            f"{SERVICE}ListGames",
            request,
            lambda answer: ([plain(one) for one in answer.games], answer.next_page_token),
        )


class KeptGame(Course):
    """A game that a server keeps; not for several threads at once, except `watch` beside the others."""

    look = blocking(Course._look)
    play = blocking(Course._play)
    say = blocking(Course._say)
    take_back = blocking(Course._take_back)
    set_seat = blocking(Course._set_seat)
    resign = blocking(Course._resign)
    abandon = blocking(Course._abandon)
    record = blocking(Course._record)


class KeptGames(Games[KeptGame]):
    """The games that a server keeps; `Advisor.games` is one."""

    _game = KeptGame
    create = blocking(Games[KeptGame]._create)
    join = blocking(Games[KeptGame]._join)
    list = blocking(Games._list)


class AsyncKeptGame(Course):
    """A game that a server keeps; calls are awaited, `watch` is for `async for`."""

    look = awaited(Course._look)
    play = awaited(Course._play)
    say = awaited(Course._say)
    take_back = awaited(Course._take_back)
    set_seat = awaited(Course._set_seat)
    resign = awaited(Course._resign)
    abandon = awaited(Course._abandon)
    record = awaited(Course._record)


class AsyncKeptGames(Games[AsyncKeptGame]):
    """The games that a server keeps; `AsyncAdvisor.games` is one."""

    _game = AsyncKeptGame
    create = awaited(Games[AsyncKeptGame]._create)
    join = awaited(Games[AsyncKeptGame]._join)
    list = awaited(Games._list)
