"""Games continue automatically: soon after any failures end, every due game has exactly one mover."""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf

import pytest

from clerestory.server.games.bounds import ANSWER
from clerestory.server.games.clock_pauses import LEAST_NOTICE
from clerestory.server.games.due import SCAN_INTERVAL_S
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.store import Conflict
from clerestory.service_errors import ServiceError
from tests.server.games.simulated import LEASE, STARTED, Database, Row, Server, clock, simulate

FAULTS = 6.0  # seconds during which everything fails
SHAPES = ("bb", "pb", "bp", "pp")  # who sits at a game
THINKING = 2.0  # seconds, the most that a person takes
TIME = 3.0  # seconds that a person has for a move, in some games


@dataclass
class World:
    """Servers that share games, those who play there, and what happens to them."""

    seed: int
    servers: list[Server] = field(default_factory=list)
    killed: bool = False

    def __post_init__(self) -> None:
        self.luck = random.Random(self.seed)
        self.database = Database(self.luck)
        self.shared = self.luck.random() < 0.8
        self.upgrading = self.shared and self.luck.random() < 0.3
        for _ in range(self.luck.randint(1, 3) if self.shared else 1):
            self.start()
        self.people: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Start one more server; during an upgrade all but the first may be of the old version."""
        old = self.upgrading and bool(self.servers) and self.luck.random() < 0.5
        self.servers.append(Server(self.database, len(self.servers) + 1, shared=self.shared, old=old))

    @property
    def living(self) -> list[Server]:
        return [server for server in self.servers if not server.store.dead]

    async def play(self) -> None:
        """Make games in the middle of all faults, and let people play them wherever they get an answer."""
        for number in range(5):
            shape = self.luck.choice(SHAPES)
            limit = TIME if self.luck.random() < 0.7 else None
            self.people.add(asyncio.create_task(self.sit_down(number, shape, limit)))
            await asyncio.sleep(self.luck.uniform(0, 1))

    async def sit_down(self, seed: int, shape: str, limit: float | None) -> None:
        """Make a game, and play for its people until it is over; some of them leave."""
        game_id, maker = f"{seed}-{shape}", self.luck.choice("ab")
        while game_id not in self.database.rows:
            try:
                await self.luck.choice(self.living).create(
                    game_id, shape, seed=seed, maker=maker, seconds_per_move=limit
                )
            except (ServiceError, Conflict):
                await asyncio.sleep(0.2)
        patience = self.luck.choice([0.0, 5.0, 1000.0])
        row = self.database.rows[game_id]
        while clock() < patience and row.summary.status != "over":
            await asyncio.sleep(self.luck.uniform(0, THINKING))
            servers = self.luck.choices(self.living, k=self.luck.choice((1, 1, 2)))
            await asyncio.gather(*(self.try_step(server, game_id) for server in servers))

    async def try_step(self, server: Server, game_id: str) -> None:
        """Play an action where it may be refused, but for no reason that concerns servers only."""
        hosted = HostedGame(self.database.rows[game_id].head, self.database.rows[game_id].entries)
        try:
            with suppress(ServiceError):
                if hosted.turn is not None and hosted.mover is None:
                    await server.play(game_id, self.luck.randrange(9))
        except Conflict:
            self.database.wrong.append(f"{server.number} let a person see a conflict in {game_id}")

    async def suffer(self) -> float:
        """Let the store, the notifications and the searches fail, servers die, and others come.

        Returns for how many seconds calls that hang may go on after it.
        """
        database, luck = self.database, self.luck
        database.failing = luck.choice([0.0, 0.1, 0.5, 0.9])
        database.hanging = luck.choice([0.0, 0.0, 0.1, 0.5])
        database.silent = luck.choice([0.0, 0.5, 1.0])
        for server in self.servers:
            server.failing = luck.choice([0.0, 0.3])
        while clock() < FAULTS:
            await asyncio.sleep(luck.uniform(0, FAULTS))
            if self.shared and luck.random() < 0.5 and len(self.living) > 1:
                luck.choice(self.living).kill()
                self.killed = True
            elif self.shared and luck.random() < 0.3:
                self.start()
            if self.upgrading:
                for row in database.rows.values():
                    row.new = row.new or luck.random() < 0.3
        hung = ANSWER if database.hanging else 0.0
        database.failing = database.hanging = database.silent = 0.0
        for server in self.servers:
            server.failing = 0.0
        return hung

    def require_movers(self) -> None:
        """Fail if a game has two movers, or has been due for two looks and none moves in it, nor must it wait."""
        movers = Counter(game_id for server in self.living for game_id in server.manager._due.moving)
        assert set(movers.values()) <= {1}, f"{movers} at {clock():.3f}"
        now = STARTED + 1000 * clock()
        for game_id, row in self.database.rows.items():
            if movers[game_id] or max(self.due(row), row.stored) > now - 2000 * SCAN_INTERVAL_S:
                continue
            full = row.summary.bots_only and all(pool.free <= 0 for pool in self.lanes(bots_only=True))
            assert full, f"nobody moves in {game_id} at {clock():.3f}, due since {now - row.summary.due:.0f} ms"

    def due(self, row: Row) -> float:
        """Return when a server had to move in a game, for a person not soon after an outage; infinite for never."""
        hosted = HostedGame(row.head, row.entries)
        if hosted.mover is not None:
            return hosted.since if self.able(row) else inf
        limits = [inf if hosted.deadline is None else hosted.deadline + max(self.held(row), default=0)]
        began = [server.manager._due._breaks.began(row.head.game_id) for server in self.able(row)]
        return max(limits + [since + 1000 * LEAST_NOTICE for since in began if hosted.since < since]) if began else inf

    def held(self, row: Row) -> list[int]:
        """Return by how many milliseconds each server has shown the turn late."""
        known = [server.manager.cache.games.get(row.head.game_id) for server in self.able(row)]
        return [live.held for live in known if live is not None]

    def able(self, row: Row) -> list[Server]:
        return [server for server in self.living if not (row.new and server.old)]

    async def require_the_same_everywhere(self) -> None:
        """Fail if a server shows anything but what is stored."""
        for game_id, row in self.database.rows.items():
            for server in self.able(row):
                before = len(row.entries)
                async with server.manager.lend(game_id) as live, live.lock:  # until what is being stored is stored
                    assert before <= live.hosted.version <= len(row.entries), f"{server.number} shows an old {game_id}"

    def lanes(self, *, bots_only: bool) -> list:
        """Return the movers of one kind of games, of all servers."""
        return [pool for server in self.living for pool in server.manager._due._pools if pool.bots_only == bots_only]


async def law(seed: int) -> int:
    """Let everything fail for a while, then watch the games go on; return the number of moves."""
    world = World(seed)
    playing = asyncio.create_task(world.play())
    hung = await world.suffer()
    await playing
    old = sum(server.old for server in world.living)  # each may take a game of the new version once, and releases it
    await asyncio.sleep(hung + (2 + old) * SCAN_INTERVAL_S + (LEASE if world.killed else 0.0))
    released, ended = world.database.released.copy(), STARTED + 1000 * clock()
    for _ in range(20):
        world.require_movers()
        await asyncio.sleep(0.37)
    await world.require_the_same_everywhere()
    assert not world.database.wrong, world.database.wrong
    again = world.database.released - released
    assert max(again.values(), default=0) <= 1, f"games are taken and released again and again: {again}"
    for row in world.database.rows.values():
        hosted = HostedGame(row.head, row.entries)  # raises if anything in it was not legal
        late = row.new or row.stored > ended
        assert hosted.over or not hosted.bots_only or late, f"the bots of {row.head.game_id} have not finished"
    for server in world.servers:
        server.kill()
    return sum(len(row.entries) for row in world.database.rows.values())


@pytest.fixture(autouse=True)
def _without_log() -> Iterator[None]:
    """Disable logging: every failure is logged, which would take longer than the simulation."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def test_every_due_game_has_one_mover_soon_after_the_faults_end() -> None:
    for seed in range(30):
        assert simulate(law(seed)), seed


@pytest.mark.slow
def test_the_same_ten_thousand_times() -> None:
    for seed in range(10_000):
        simulate(law(seed))
