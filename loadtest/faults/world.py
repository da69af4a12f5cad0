"""Games of every kind on a server, and valid requests about them, as templates for mutated ones."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message

from clerestory.cli.positions import first_decision
from clerestory.engine import GAMES, NATURE, Record, Rng
from clerestory.server.gateway.methods import Method
from clerestory.v1 import advisor_pb2, annotation_pb2, games_pb2, position_pb2, puzzle_pb2, rules_pb2
from clerestory.v1.games_pb2_grpc import GameServiceStub

EXAMPLES = Path(__file__).parents[2] / "examples"
POSITIONS = [json.loads(path.read_text()) for path in sorted((EXAMPLES / "positions").glob("*.json"))]
RECORDS = [path.read_text() for path in sorted((EXAMPLES / "records").glob("*.jsonl"))]
PERSON = games_pb2.SeatPlan(kind=games_pb2.SEAT_KIND_PERSON)
OPEN = games_pb2.SeatPlan(kind=games_pb2.SEAT_KIND_OPEN)
BOT = games_pb2.SeatPlan(
    kind=games_pb2.SEAT_KIND_BOT, bot=games_pb2.Bot(level=1, time_budget=Duration(nanos=10_000_000))
)
PATIENCE = 300.0  # seconds for an answer
SECRET = 12  # minimum characters of a secret: shorter ones occur by chance
LESSON = ["convert mortar_mixer 1", "convert stonecutter 1", "convert mason_1 2"]  # the first lesson, with a mistake
WEBHOOKS = tuple(f"http://127.0.0.1:9/{number}" for number in range(6))  # where nothing listens
PAGES = ("99999999999999999999 x", "-9223372036854775809 x", f"{10**400} x", "nan x", "1 \0", "1", "x", " ", "1 x y")
KINDS: tuple[dict[str, Any], ...] = (
    {"game": "toy", "seats": [PERSON, PERSON]},
    {"game": "toy", "seats": [PERSON, BOT], "options": {"hints": 1, "take_backs": 3}},
    {"game": "toy", "seats": [PERSON, PERSON], "options": {"table": True}},
    {"game": "duel", "seats": [PERSON, BOT], "options": {"onlookers": 2, "delay_plies": 2}},
    {"game": "duel", "seats": [PERSON, OPEN], "options": {"onlookers": 3, "listed": True}},
    {"game": "duel", "seats": [BOT, BOT], "options": {"onlookers": 3}},
    {"game": "cathedral", "seats": [PERSON, BOT, PERSON], "options": {"take_backs": 3, "listed": True}},
)


@dataclass
class Kept:
    """A game on the server, as its owner knows it."""

    kind: int
    game_id: str
    tokens: list[str]
    seen: games_pb2.GetGameResponse  # the last answer about it

    @property
    def actions(self) -> list[str]:
        """The legal actions of any of its seats."""
        return [one.action.text for view in self.seen.views for one in view.actions]


@dataclass
class World:
    """The games of a server, which are the subjects of requests."""

    stub: Any
    metadata: tuple[tuple[str, str], ...]
    kept: list[Kept] = field(default_factory=list)
    secrets: set[str] = field(default_factory=set)  # tokens that only their owners may see
    pages: list[str] = field(default_factory=list)  # page tokens from answers

    def make(self, kind: int, luck: Random) -> Kept:
        request = games_pb2.CreateGameRequest(**KINDS[kind])
        made = self.stub.CreateGame(request, timeout=PATIENCE, metadata=self.metadata)
        self.learn(made)
        one = Kept(kind, made.game.game_id, tokens_of(made), games_pb2.GetGameResponse(game=made.game))
        for _ in range(luck.randrange(8)):
            self.look(one)
            self.play(one, luck)
        return one

    def learn(self, answer: Message) -> None:
        """Remember the secrets in an answer, including answers to mutated requests."""
        if isinstance(answer, games_pb2.CreateGameResponse):
            self.secrets |= {token for token in tokens_of(answer) if len(token) >= SECRET}
        elif isinstance(answer, games_pb2.JoinGameResponse):
            self.secrets.add(answer.seat_token.token)
        elif isinstance(answer, games_pb2.GameServiceListGamesResponse) and answer.next_page_token:
            self.pages = [*self.pages[-20:], answer.next_page_token]

    def look(self, one: Kept) -> None:
        request = games_pb2.GetGameRequest(game_id=one.game_id, tokens=one.tokens)
        one.seen = self.stub.GetGame(request, timeout=PATIENCE, metadata=self.metadata)

    def play(self, one: Kept, luck: Random) -> None:
        """Play an action, if a seat is to act and no other caller is faster."""
        if not one.actions:
            return
        request = games_pb2.PlayActionRequest(
            game_id=one.game_id, tokens=one.tokens, version=one.seen.game.version, action=luck.choice(one.actions)
        )
        try:
            self.stub.PlayAction(request, timeout=PATIENCE, metadata=self.metadata)
        except grpc.RpcError as error:
            if error.code() not in (grpc.StatusCode.ABORTED, grpc.StatusCode.FAILED_PRECONDITION):
                raise

    def keep_up(self, call: int, luck: Random) -> None:
        """Keep games of all kinds before a call; every twentieth time replace one that is over or lost to others."""
        while len(self.kept) < len(KINDS):
            self.kept.append(self.make(len(self.kept), luck))
        place = luck.randrange(len(self.kept))
        if call % 20 == 0 and not self.ours(self.kept[place]):
            self.kept[place] = self.make(self.kept[place].kind, luck)

    def ours(self, one: Kept) -> bool:
        """Whether a game continues with our seats: a mutated `SetSeat` may have given one away."""
        try:
            self.look(one)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.PERMISSION_DENIED:
                raise
            return False
        return one.seen.game.status not in (games_pb2.GAME_STATUS_OVER, games_pb2.GAME_STATUS_FROZEN)

    def texts(self) -> list[str]:
        """Return strings known to the server."""
        tokens = [token for one in self.kept for token in one.tokens]
        names = [one.game_id for one in self.kept]
        return [*tokens, *names, *map(page_token, PAGES), *self.pages, *(text[:20_000] for text in RECORDS)]


def page_token(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


def tokens_of(made: games_pb2.CreateGameResponse) -> list[str]:
    found = [made.owner_token, *(one.token for one in made.seat_tokens), made.onlooker_token]
    return [token for token in found if token]


def connect(channel: grpc.Channel, token: str) -> World:
    """Return a world on a server; `token` is the required bearer token, "" for none."""
    return World(GameServiceStub(channel), (("authorization", f"Bearer {token}"),) if token else ())


def position(luck: Random) -> position_pb2.Position:
    return ParseDict(luck.choice(POSITIONS), position_pb2.Position())


def truth(luck: Random) -> rules_pb2.RefereePosition:
    state = first_decision(luck.choice(("toy", "duel", "cathedral")), 2, luck.randrange(9))
    return rules_pb2.RefereePosition(truth=ParseDict(state.to_position(), position_pb2.Position()))


def any_position(luck: Random) -> rules_pb2.AnyPosition:
    if luck.random() < 0.5:
        return rules_pb2.AnyPosition(position=position(luck))
    return rules_pb2.AnyPosition(referee=truth(luck))


def question(luck: Random) -> advisor_pb2.RecommendMoveRequest:
    return advisor_pb2.RecommendMoveRequest(
        position=position(luck), iterations=luck.choice((1, 50, 400)), time_budget=Duration(nanos=20_000_000)
    )


FIGURES = {  # of a player in a reviewed game
    "groups": [{"part": 1, "kind": "lines", "decisions": 5, "loss": 40_000, "points": 1.5}],
    "patterns": [{"played": "claim", "best": "claim", "errors": 1, "loss": 30_000}],
    "level": 3,
}


def reviewed(one: Kept, luck: Random) -> annotation_pb2.AnnotateGameRequest:
    if luck.random() < 0.5:
        return annotation_pb2.AnnotateGameRequest(record=luck.choice(RECORDS)[:30_000], iterations=50)
    reference = annotation_pb2.HostedGameReference(**about(one))
    return annotation_pb2.AnnotateGameRequest(hosted_game=reference, iterations=50)


def puzzle(luck: Random) -> puzzle_pb2.PuzzleReference:
    return puzzle_pb2.PuzzleReference(game=luck.choice(("duel", "cathedral")), number=luck.randint(1, 5))


def toy_record() -> str:
    """Return the record of a random game."""
    rng = Rng(7)
    state = GAMES["toy"].new(2, rng)
    while not state.over:
        legal = state.legal_actions()
        state.play(state.draw(rng) if state.turn == NATURE else legal[rng.below(len(legal))])
    return "\n".join(Record(state).lines())


def about(one: Kept) -> dict[str, Any]:
    return {"game_id": one.game_id, "tokens": one.tokens}


def versioned(one: Kept) -> dict[str, Any]:
    return {**about(one), "version": one.seen.game.version}


def action_of(one: Kept, luck: Random) -> str:
    return luck.choice(one.actions or ["fold"])


GOOD: dict[str, Callable[[Any, Kept, Random], dict[str, Any] | Message]] = {
    "AdvisorService/RecommendMove": lambda world, one, luck: question(luck),
    "AdvisorService/Analyze": lambda world, one, luck: {"question": question(luck)},
    "RulesService/ListGames": lambda world, one, luck: {},
    "RulesService/ListCharacters": lambda world, one, luck: {},
    "RulesService/StartPosition": lambda world, one, luck: {"game": one.seen.game.game, "seats": 2, "seed": 7},
    "RulesService/ObservePosition": lambda world, one, luck: {"referee": truth(luck), "seat": luck.randrange(3)},
    "RulesService/DealPosition": lambda world, one, luck: {"position": any_position(luck), "seed": 5},
    "RulesService/ListActions": lambda world, one, luck: {"position": any_position(luck)},
    "RulesService/ApplyActions": lambda world, one, luck: {
        "position": any_position(luck),
        "actions": [action_of(one, luck)],
        "draw": True,
        "seed": 1,
    },
    "RulesService/PlanConversions": lambda world, one, luck: {"position": any_position(luck)},
    "RulesService/ValidatePosition": lambda world, one, luck: {"position": any_position(luck)},
    "RulesService/DescribeCatalogue": lambda world, one, luck: {"game": one.seen.game.game},
    "GameService/CreateGame": lambda world, one, luck: (
        luck.choice(KINDS) | {"request_id": f"{luck.getrandbits(128):x}", "seed": luck.getrandbits(63)}
    ),
    "GameService/JoinGame": lambda world, one, luck: {"game_id": one.game_id, "name": "Ann", "seat": 1},
    "GameService/GetGame": lambda world, one, luck: {**about(one), "entries_from_ply": 1},
    "GameService/ListGames": lambda world, one, luck: {
        "page_size": luck.choice((1, 3, 50)),
        "page_token": luck.choice(["", *world.pages]),
        "tokens": one.tokens if luck.random() < 0.5 else [],
    },
    "GameService/PlayAction": lambda world, one, luck: {**versioned(one), "action": action_of(one, luck)},
    "GameService/SetPrivateOutcome": lambda world, one, luck: {
        **versioned(one),
        "outcome": action_of(one, luck),
        "seat": 0,
    },
    "GameService/TakeBack": lambda world, one, luck: {**versioned(one), "ply": luck.randrange(1 + one.seen.game.ply)},
    "GameService/SetSeat": lambda world, one, luck: {
        **(about(one) if luck.random() < 0.5 else versioned(one)),
        "seat": luck.randrange(2),
        "plan": BOT,
    },
    "GameService/EndGame": lambda world, one, luck: {**about(one), "reason": luck.choice((2, 3))},
    "GameService/SendPhrase": lambda world, one, luck: {**about(one), "phrase": luck.randint(1, 10)},
    "GameService/AddNoticeTarget": lambda world, one, luck: {**about(one), "url": luck.choice(WEBHOOKS)},
    "GameService/RemoveNoticeTarget": lambda world, one, luck: {**about(one), "url": luck.choice(WEBHOOKS)},
    "GameService/GetNoticeTarget": lambda world, one, luck: {**about(one), "url": luck.choice(WEBHOOKS)},
    "GameService/WatchGame": lambda world, one, luck: {**about(one), "from_version": luck.choice((0, 5))},
    "GameService/GetRecord": lambda world, one, luck: about(one),
    "AnnotationService/AnnotateGame": lambda world, one, luck: reviewed(one, luck),
    "AnnotationService/SummarizeGames": lambda world, one, luck: {
        "game": "duel",
        "games": [FIGURES] * luck.choice((1, 9)),
    },
    "PuzzleService/ListPuzzles": lambda world, one, luck: {"game": luck.choice(("duel", "cathedral"))},
    "PuzzleService/GetPuzzle": lambda world, one, luck: {"puzzle": puzzle(luck)},
    "PuzzleService/TryPuzzle": lambda world, one, luck: {"puzzle": puzzle(luck), "action": action_of(one, luck)},
    "LessonService/ListLessons": lambda world, one, luck: {"game": luck.choice(("duel", "cathedral", ""))},
    "LessonService/FollowLesson": lambda world, one, luck: {"lesson": "goal", "actions": LESSON[: luck.randint(0, 3)]},
}


def short(path: str) -> str:
    """Return `Service/Method` of a method's path."""
    return path.removeprefix("/clerestory.v1.")


def good_request(world: World, method: Method, luck: Random) -> Message:
    made = GOOD[short(method.path)](world, luck.choice(world.kept), luck)
    return made if isinstance(made, Message) else method.request(**made)
