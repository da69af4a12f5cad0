"""However many games and seats one token has, another has its half of a real server's worker.

The same shares on simulated time: `tests/advice/test_sharing.py`; whose the searches of bots are: `test_bots.py`.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest

from clerestory.advice.demand import Demand, TreeTask
from clerestory.advice.policy import Policy
from clerestory.clients.wire import duration
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from tests.games.table import PERSON
from tests.server.harness import Served, opening, question, served, until

pytestmark = pytest.mark.system

MAKER, OTHER = "token-of-a-maker", "token-of-another"
MINUTE = games.SeatPlan(kind=games.SEAT_KIND_BOT, bot=games.Bot(time_budget=duration(60)))  # at full strength


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


class Slice(NamedTuple):
    """A slice of a worker: for what, from when to when, and how many seconds of it were searched."""

    demand: Demand
    began: float
    ended: float
    seconds: float


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> list[Slice]:
    """What a worker has done, in order."""
    pick, put_back = Policy.pick, Policy.put_back
    began, done = dict[TreeTask, float](), list[Slice]()

    def picked(policy: Policy, now: float) -> TreeTask | None:
        tree = pick(policy, now)
        if tree is not None:
            began[tree] = now
        return tree

    def returned(policy: Policy, tree: TreeTask, seconds: float, iterations: int, now: float) -> None:
        done.append(Slice(tree.demand, began[tree], now, seconds))
        put_back(policy, tree, seconds, iterations, now)

    monkeypatch.setattr(Policy, "pick", picked)
    monkeypatch.setattr(Policy, "put_back", returned)
    return done


@pytest.fixture
async def server(tmp_path: Path, slices: list[Slice]) -> AsyncIterator[Served]:  # patches first
    (tmp_path / "tokens").write_text(f"{MAKER}\n{OTHER}\n")
    async with served(token_file=tmp_path / "tokens") as server:
        yield server


async def make(server: Served, *seats: games.SeatPlan) -> games.CreateGameResponse:
    """Make a game, for the maker."""
    request = games.CreateGameRequest(game="duel", seats=seats)
    made: games.CreateGameResponse = await GameServiceStub(server.channel).CreateGame(request, metadata=bearer(MAKER))
    return made


async def test_many_games_of_one_token_leave_another_its_half(server: Served, slices: list[Slice]) -> None:
    """Half of what is searched meanwhile: on a busy machine a worker cannot search all the time."""
    for _ in range(100):
        await make(server, MINUTE, PERSON)
    await until(lambda: len({one.demand.part for one in slices}) > 64)
    before = len(slices)
    asked = question(opening(game="duel"), time_budget=duration(1))
    await server.advisor.RecommendMove(asked, metadata=bearer(OTHER))  # which raises if it is refused
    [maker] = {live.kept.head.maker for live in server.app.keeper.cache.games.values()}
    its = [one for one in slices[before:] if one.demand.origin != maker]
    meanwhile = [one for one in slices[before:] if its[0].began <= one.began < its[-1].ended]
    leeway = 2 * max(one.seconds for one in meanwhile)
    assert sum(one.seconds for one in its) >= sum(one.seconds for one in meanwhile) / 2 - leeway
