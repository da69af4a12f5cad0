"""Hosted games: creates, joins, plays and watches games that a server hosts, without rules in the program."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar, Unpack
from uuid import uuid4

from clerestory.clients.errors import telling
from clerestory.clients.hosted_wire import (
    PHRASES,
    GameChoices,
    GameSnapshot,
    read_phrases,
    read_snapshot,
    seat_plan,
    value_of,
    write_choices,
)
from clerestory.clients.referee import as_truth, plain
from clerestory.clients.streams import AsyncStream, Stream
from clerestory.clients.unary_call import AsyncCalls, MakeUnaryCall, SyncCalls, UnaryCall, unary
from clerestory.clients.wire import (
    Actions,
    PositionLike,
    Time,
    action_text,
    action_texts,
    bad_request,
    filled,
    listed,
    set_field,
)
from clerestory.service_errors import Reason
from clerestory.v1 import games_pb2 as api
from clerestory.v1 import rules_pb2 as rules

SERVICE = "GameService."  # qualifies its methods: another service has one of the same name
LISTED = {name: value for name, value in api.GameStatus.items() if value != api.GAME_STATUS_FROZEN}  # by `status`
LATER = 30 * 24 * 3600.0  # most seconds that a game is watched

Page = list[dict[str, Any]]
G = TypeVar("G", bound="HostedGameBase")


class HostedGameBase:
    """A hosted game, with the tokens that give access to it; the base of `HostedGame` and `AsyncHostedGame`.

    Attributes:
        game_id: its identifier.
        tokens: by seat; keep them secret: a token lets its holder play the seat.
        owner_token: "" unless the game was created here.
        onlooker_token: "" if there is none.
        seen: the latest snapshot; None before the first.
    """

    def __init__(self, call: MakeUnaryCall, watch: Callable[..., Any], game_id: str) -> None:
        self._call = call
        self._watch_from = watch
        self.game_id = game_id
        self.tokens: dict[int, str] = {}
        self.owner_token = self.onlooker_token = ""
        self.seen: GameSnapshot | None = None
        self._seated: dict[int, int] = {}  # by seat, the version after its last change from here
        self._present: frozenset[int] | None = None

    @property
    def version(self) -> int:
        """The version of the latest snapshot, 0 before the first."""
        return self.seen.version if self.seen is not None else 0

    def _all_tokens(self) -> list[str]:
        """Return the tokens sent with requests for views."""
        return [*self.tokens.values()] or [token for token in (self.owner_token or self.onlooker_token,) if token]

    @unary
    def look(self, ply: int | None = None, *, entries_from: int | None = None) -> UnaryCall[GameSnapshot]:
        """Return the game as it is, with the position of a ply.

        Args:
            ply: 0 to the current one; None for the current one.
            entries_from: the first ply of `entries`, counted from 1; None for no entries.

        Raises AdvisorError.
        """
        request = filled(api.GetGameRequest, game_id=self.game_id, tokens=self._all_tokens())
        for field, value in (("ply", ply), ("entries_from_ply", entries_from)):
            if value is not None:
                set_field(request, field, value)
        return UnaryCall(f"{SERVICE}GetGame", request, self._take)

    @unary
    def play(self, action: Any, *then: Any, version: int | None = None) -> UnaryCall[GameSnapshot]:
        """Play an action, or enter a chance outcome at a table; return the game after it and its chance events.

        Args:
            action: its text, or an action.
            then: further actions of the same seat, played directly after it; all are played or none.
            version: of the game that the choice was based on; None for the last one seen.

        Raises AdvisorError, with reason STALE_VERSION if something else has happened; the game is then unchanged.
        """
        text, more = action_text(action, "action"), action_texts(then, "then_actions")
        request = filled(
            api.PlayActionRequest, game_id=self.game_id, tokens=self._everything(), action=text, then_actions=more
        )
        set_field(request, "version", self.version if version is None else version)
        return UnaryCall(f"{SERVICE}PlayAction", request, self._take)

    @unary
    def set_private_outcome(self, seat: int, outcome: Any) -> UnaryCall[GameSnapshot]:
        """Enter what a seat has been shown privately at a table; return the game after it.

        Args:
            seat: held here, or a bot's in a game that was created here.
            outcome: one of `GameSnapshot.private_outcomes` of the seat, or its text.

        Raises AdvisorError.
        """
        if not self._holds(seat) and not self.owner_token:
            raise bad_request("seat", f"{seat!r} is not held here")
        tokens, text = self._everything(), action_text(outcome, "outcome")
        request = filled(
            api.SetPrivateOutcomeRequest, game_id=self.game_id, tokens=tokens, version=self.version, outcome=text
        )
        set_field(request, "seat", seat)
        return UnaryCall(f"{SERVICE}SetPrivateOutcome", request, self._take)

    def _holds(self, seat: Any) -> bool:
        """Whether a seat is held here; an array, which is not hashable, names none."""
        return isinstance(seat, Hashable) and seat in self.tokens

    def _everything(self) -> list[str]:
        return [*self.tokens.values(), *([self.owner_token] if self.owner_token else [])]

    @unary
    def take_back(self, ply: int, *, decline: bool = False, seat: int | None = None) -> UnaryCall[GameSnapshot]:
        """Take the game back to a ply, ask the others to agree, or answer them; return the game after it.

        Args:
            ply: below the current one.
            decline: reject the request of another player.
            seat: which one agrees or declines, and alone sees the game returned; None for all that are held here.

        Raises AdvisorError.
        """
        if seat is not None and not self._holds(seat):
            raise bad_request("seat", f"{seat!r} is not held here")
        tokens = [*self.tokens.values()] if seat is None else [self.tokens[seat]]
        request = filled(api.TakeBackRequest, game_id=self.game_id, tokens=tokens, version=self.version)
        set_field(request, "ply", ply)
        set_field(request, "decline", decline)
        return UnaryCall(f"{SERVICE}TakeBack", request, self._take)

    @unary
    def set_seat(self, seat: int, who: str, *, version: int | None = None) -> UnaryCall[None]:
        """Change the holder of a seat, as in `create`; `person` keeps its token, and takes a new name if one is given.

        The token of a seat that is opened is invalid from then on, and no longer kept here.

        Args:
            seat: any in a game that was created here; otherwise one of those held here.
            who: the new holder.
            version: of the game in which the holder was seen; None for the last one seen, if any.

        Raises AdvisorError, with reason STALE_VERSION if the holder has changed since; the game is then unchanged.
        """
        tokens = [self.owner_token] if self.owner_token else self._everything()  # the owner's outlasts each repetition
        request = filled(api.SetSeatRequest, game_id=self.game_id, tokens=tokens, plan=seat_plan(who, "who"))
        set_field(request, "seat", seat)
        known = [self._seated.get(seat), None if self.seen is None else self.version]
        seen = max((one for one in known if one is not None), default=None) if version is None else version
        if seen is not None:
            set_field(request, "version", seen)

        def read(answer: api.SetSeatResponse) -> None:
            self._seated[seat] = answer.game.version
            if request.plan.kind == api.SEAT_KIND_OPEN:
                self.tokens.pop(seat, None)

        return UnaryCall(f"{SERVICE}SetSeat", request, read)

    @unary
    def resign(self, seat: int | None = None) -> UnaryCall[None]:
        """Resign: with two players the other wins; with more a bot takes over. Raises AdvisorError.

        Args:
            seat: one of those held here; None: in the last snapshot, the one to decide, else the first of a person.
        """
        return self._end(api.END_REASON_RESIGNED, self._leaving() if seat is None else seat)

    def _leaving(self) -> int | None:
        """Return the seat that resigns if the caller names none; None for the server's choice."""
        if self.seen is None:
            return None
        own = [seat for seat in sorted(self.tokens) if self.seen.seats[seat].kind == "person"]
        return self.seen.seat if self.seen.seat in own else next(iter(own), None)

    @unary
    def abandon(self) -> UnaryCall[None]:
        """End the game without a winner; only its owner may. Raises AdvisorError."""
        return self._end(api.END_REASON_ABANDONED)

    def _end(self, reason: "api.EndReason.ValueType", seat: int | None = None) -> UnaryCall[None]:
        request = filled(api.EndGameRequest, game_id=self.game_id, tokens=self._everything(), reason=reason)
        if seat is not None:
            set_field(request, "seat", seat)
        return UnaryCall(f"{SERVICE}EndGame", request, lambda _: None)

    @unary
    def send_phrase(self, phrase: str, seat: int | None = None) -> UnaryCall[None]:
        """Send a set phrase to everyone at the table. Raises AdvisorError, with TOO_MANY_PHRASES if it is too soon.

        Args:
            phrase: one of PHRASES.
            seat: one of those held here; None for the first.
        """
        if not isinstance(phrase, str) or phrase not in PHRASES:
            raise bad_request("phrase", f"{phrase!r:.60} is not one of {', '.join(PHRASES)}")
        request = filled(api.SendPhraseRequest, game_id=self.game_id, tokens=[*self.tokens.values()])
        request.phrase = PHRASES[phrase]
        if seat is not None:
            set_field(request, "seat", seat)
        return UnaryCall(f"{SERVICE}SendPhrase", request, lambda _: None)

    @unary
    def add_webhook(self, url: str, seat: int | None = None) -> UnaryCall[str]:
        """Let the server post a notice to a URL whenever a turn of a seat begins; return the secret that signs them.

        Args:
            url: `https://HOST/PATH`.
            seat: one of those held here; None for the first.

        Raises AdvisorError, with NOTICES_OFF if the server does not allow it. Repeating it returns the same secret.
        """
        request = filled(api.AddNoticeTargetRequest, game_id=self.game_id, tokens=[*self.tokens.values()], url=url)
        if seat is not None:
            set_field(request, "seat", seat)
        return UnaryCall(f"{SERVICE}AddNoticeTarget", request, lambda answer: str(answer.webhook_secret))

    @unary
    def remove_webhook(self, url: str, seat: int | None = None) -> UnaryCall[None]:
        """Undo `add_webhook`; without effect if there is no such webhook. Raises AdvisorError."""
        request = filled(api.RemoveNoticeTargetRequest, game_id=self.game_id, tokens=[*self.tokens.values()], url=url)
        if seat is not None:
            set_field(request, "seat", seat)
        return UnaryCall(f"{SERVICE}RemoveNoticeTarget", request, lambda _: None)

    @unary
    def has_webhook(self, url: str, seat: int | None = None) -> UnaryCall[bool]:
        """Return whether notices are posted to a webhook, which has not answered 410. Raises AdvisorError."""
        request = filled(api.GetNoticeTargetRequest, game_id=self.game_id, tokens=[*self.tokens.values()], url=url)
        if seat is not None:
            set_field(request, "seat", seat)
        return UnaryCall(f"{SERVICE}GetNoticeTarget", request, lambda answer: bool(answer.active))

    @unary
    def record(self) -> UnaryCall[str]:
        """Return the record as JSON lines, complete once the game is over, else what is known. Raises AdvisorError."""
        request = filled(api.GetRecordRequest, game_id=self.game_id, tokens=self._all_tokens())
        return UnaryCall(f"{SERVICE}GetRecord", request, lambda answer: str(answer.record))

    def _watch(self, from_version: int | None) -> Any:
        """Return the states of the game as they arrive.

        If nothing happens for 15 s, when a player comes or leaves, and with `phrases`, the last state is repeated,
        without entries; but not if a call has returned a later one.
        """
        shown: GameSnapshot | None = None

        def ask() -> UnaryCall[GameSnapshot | None]:
            known = from_version if shown is None else shown.version
            request = filled(api.WatchGameRequest, game_id=self.game_id, tokens=self._all_tokens())
            if known is not None:
                set_field(request, "from_version", known)
            return UnaryCall(f"{SERVICE}WatchGame", request, read, LATER)

        def read(message: api.WatchGameResponse) -> GameSnapshot | None:
            nonlocal shown
            if message.HasField("presence"):
                self._present = frozenset(message.presence.seats)
            if message.HasField("game") or shown is None:
                shown = self._take(message)
            elif shown.version != self.version:
                return None  # a call has advanced the game past this stream
            else:
                self.seen = shown = replace(shown, entries=(), present=self._present)
            return replace(shown, phrases=read_phrases(message))

        return self._watch_from(ask)

    def _take(self, message: Any) -> GameSnapshot:
        """Return the snapshot in a message, and keep it unless a later one is known."""
        snapshot = replace(read_snapshot(message), present=self._present)
        if snapshot.version >= self.version:
            self.seen = snapshot
        return snapshot


class HostedGamesBase(Generic[G]):
    """The games that a server keeps. Every method raises AdvisorError.

    Args:
        call: makes a call, and returns the message of the response.
        watch: begins a stream, given a function that writes its call.
        language: of errors for users; None for none.
    """

    _game: Callable[..., G]

    def __init__(self, call: MakeUnaryCall, watch: Callable[..., Any], language: str | None = None) -> None:
        self._call = call
        self._watch = watch
        self._language = language

    @unary
    def create(
        self,
        game: str,
        seats: Sequence[str],
        *,
        seed: int | None = None,
        time: Time | None = None,
        opening: PositionLike | rules.AnyPosition | None = None,
        actions: Actions = (),
        **choices: Unpack[GameChoices],
    ) -> UnaryCall[G]:
        """Return a new game, with tokens of the owner and of each person's seat.

        Args:
            game: name of its rules.
            seats: who holds each: `person` or `person:NAME` for those at this client, `open` for anyone, `bot`
                (at full strength), `bot:CHARACTER` (of `Rules.characters`) or `level:N`.
            seed: of all chance events, below 2^53; None: drawn at random.
            time: of bots for a move; None: 1 s.
            opening: the first position, with everything, as in `Referee.truth`, or of either kind, as in
                `Referee.message`; None: a new deal.
            actions: actions and chance outcomes since the opening, which they require.
            choices: see `GameChoices`.
        """
        plans = [seat_plan(who, f"seats[{number}]", time) for number, who in enumerate(listed(seats, "seats"))]
        options = write_choices(choices)
        request = filled(api.CreateGameRequest, game=game, seats=plans, options=options, request_id=str(uuid4()))
        if seed is not None:
            set_field(request, "seed", seed)
        since = action_texts(actions)
        if opening is not None and not isinstance(opening, rules.AnyPosition):
            opening = as_truth(opening)
        if opening is not None or since:
            request.beginning.CopyFrom(filled(api.Beginning, opening=opening, actions=since))
        return UnaryCall(f"{SERVICE}CreateGame", request, self._made)

    def _made(self, answer: api.CreateGameResponse) -> G:
        game = self._game(self._call, self._watch, answer.game.game_id)
        game.owner_token, game.onlooker_token = answer.owner_token, answer.onlooker_token
        game.tokens = {one.seat: one.token for one in answer.seat_tokens}
        return game

    @unary
    def join(self, game_id: str, *, seat: int | None = None, name: str = "") -> UnaryCall[G]:
        """Take an open seat and return the game; seat None: the first open one."""
        request = filled(api.JoinGameRequest, game_id=game_id, name=name, request_id=str(uuid4()))
        if seat is not None:
            set_field(request, "seat", seat)

        def read(answer: api.JoinGameResponse) -> G:
            game = self._game(self._call, self._watch, game_id)
            game.tokens = {answer.seat_token.seat: answer.seat_token.token}
            return game

        return UnaryCall(f"{SERVICE}JoinGame", request, read)

    def open(self, game_id: str, tokens: Mapping[Any, str] | None = None, *, owner: str = "", onlooker: str = "") -> G:
        """Return a game by saved tokens, without calling the server yet.

        Args:
            game_id: its identifier.
            tokens: by seat; seats may be texts, as JSON makes them.
            owner: token of the owner.
            onlooker: token for onlookers.

        Raises BadRequest for tokens that are not by seat.
        """
        game = self._game(self._call, self._watch, game_id)
        with telling(self._language):
            game.tokens, game.owner_token, game.onlooker_token = by_seat(tokens or {}), owner, onlooker
        return game

    @unary
    def list(
        self, *, game: str = "", status: str = "", tokens: Iterable[str] = (), page: str = "", size: int = 0
    ) -> UnaryCall[tuple[Page, str]]:
        """Return a page of games as dictionaries, the newest first, and the name of the next page, "" for none.

        Args:
            game: only those of this name.
            status: only those that are `open`, `running` or `over`.
            tokens: limit the list to their games; without any, public games are listed.
            page: name of the page, from the previous answer; "" for the first.
            size: games on a page, 0 for the server's default.
        """
        request = filled(api.GameServiceListGamesRequest, game=game, page_token=page, tokens=tokens)
        set_field(request, "page_size", size)
        if status:
            request.status = value_of("status", "GAME_STATUS_", status, LISTED, Reason.BAD_PAGE)
        return UnaryCall(
            f"{SERVICE}ListGames",
            request,
            lambda answer: ([plain(one) for one in answer.games], answer.next_page_token),
        )


def by_seat(tokens: Any) -> dict[int, str]:
    """Return tokens by the numbers of their seats. Raises BadRequest, which quotes none of them."""
    try:
        return {int(seat): token for seat, token in dict(tokens).items()}
    except (TypeError, ValueError):
        raise bad_request("tokens", "are not tokens by seat, as in {0: TOKEN}") from None


class HostedGame(SyncCalls, HostedGameBase):
    """A game that a server keeps; not for several threads at once, except `watch` beside the others."""

    def watch(self, *, from_version: int | None = None) -> Stream[GameSnapshot]:
        """Return the states of the game as they arrive, until it is over; if the server is down, wait for it.

        Args:
            from_version: the first state has the entries since; None: no entries.
        """
        states: Stream[GameSnapshot] = self._watch(from_version)
        return states


class HostedGames(SyncCalls, HostedGamesBase[HostedGame]):
    """The games that a server keeps; `Advisor.games` is one."""

    _game = HostedGame


class AsyncHostedGame(AsyncCalls, HostedGameBase):
    """A game that a server keeps; calls are awaited, `watch` is for `async for`."""

    def watch(self, *, from_version: int | None = None) -> AsyncStream[GameSnapshot]:
        """Return the states of the game as they arrive, until it is over; if the server is down, wait for it.

        Args:
            from_version: the first state has the entries since; None: no entries.
        """
        states: AsyncStream[GameSnapshot] = self._watch(from_version)
        return states


class AsyncHostedGames(AsyncCalls, HostedGamesBase[AsyncHostedGame]):
    """The games that a server keeps; `AsyncAdvisor.games` is one."""

    _game = AsyncHostedGame
