"""Requests for load tests: positions from recorded games, as a front end would send them."""

import json
from collections.abc import Iterator
from pathlib import Path

from clerestory.clients import Advisor
from clerestory.clients.referee import Referee
from clerestory.clients.wire import duration
from clerestory.v1.advisor_pb2 import AnalyzeRequest, RecommendMoveRequest
from clerestory.v1.position_pb2 import Position

RECORDS = Path(__file__).parents[1] / "examples" / "records"
A_GAME = 16  # positions per record
LINES = 3  # per answer, as a front end shows


def positions(target: str, folder: Path = RECORDS) -> list[Position]:
    """Return positions at which a seat decides, as that seat knows them; the server at `target` plays the records."""
    with Advisor(target) as advisor:
        return [
            view
            for path in sorted(folder.glob("*.jsonl"))
            for truth, actions in games(path)
            for view in met(advisor.rules.resume(truth), actions)
        ]


def games(path: Path) -> Iterator[tuple[dict[str, object], list[str]]]:
    """Yield the opening position and the actions of each game in a file of records."""
    truth: dict[str, object] = {}
    actions: list[str] = []
    for line in path.read_text().splitlines():
        fields = json.loads(line)
        if "record" in fields:
            truth, actions = fields["position"], []
        elif "end" in fields:
            yield truth, actions
        else:
            actions.append(fields["action"])


def met(game: Referee, actions: list[str]) -> Iterator[Position]:
    """Yield views of the deciding seats, at plies spread over the game except its end."""
    stride = max(len(actions) // (A_GAME + 1), 1)
    for begin in range(0, len(actions) - stride, stride):
        game.apply(actions[begin : begin + stride])
        if game.seat is not None:
            yield game.view(game.seat)


def move_question(position: Position, budget: float, *, to_limits: bool = False) -> bytes:
    """Return a serialized RecommendMove request, which may end early (the default) or run to its limits."""
    question = RecommendMoveRequest(position=position, time_budget=duration(budget), max_lines=LINES)
    if to_limits:
        question.early_stop = False
    return question.SerializeToString()


def hint_question(position: Position, budget: float, interval: float) -> bytes:
    """Return a serialized Analyze request."""
    question = RecommendMoveRequest(position=position, time_budget=duration(budget), max_lines=LINES)
    return AnalyzeRequest(question=question, update_interval=duration(interval)).SerializeToString()
