"""Games go on by themselves: whatever fails in whatever order, soon after it ends every due game has one mover."""

import asyncio
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf

import pytest

from clerestory.games import course
from clerestory.games.due import LOOK
from clerestory.games.kept import ServerGame, settle
from clerestory.games.mover import due_at
from clerestory.games.store import ANSWER, Conflict
from clerestory.games.viewer import Viewer
from clerestory.refusals import Refusal
from tests.games.simulated import LEASE, STARTED, Database, Row, Server, clock, simulate
from tests.games.table import head

FAULTS = 6.0  # seconds for which everything fails
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
        """The servers that have not been killed."""
        return [server for server in self.servers if not server.store.dead]

    async def play(self) -> None:
        """Make games in the middle of all faults, and let people play them wherever they get an answer."""
        for number in range(5):
            shape = self.luck.choice(SHAPES)
            limit = TIME if self.luck.random() < 0.7 else None
            made = replace(head("toy", shape, number, seconds_per_move=limit), game_id=f"{number}-{shape}")
            kept = ServerGame(replace(made, created=STARTED + int(1000 * clock()), maker=self.luck.choice("ab")))
            settle(kept, kept.head.created)
            self.people.add(asyncio.create_task(self.sit_down(kept)))
            await asyncio.sleep(self.luck.uniform(0, 1))

    async def sit_down(self, kept: ServerGame) -> None:
        """Make a game, and play for its people until it is over; some of them leave."""
        while kept.head.game_id not in self.database.rows:
            try:
                await self.luck.choice(self.living).keeper.create(kept, [])
            except (Refusal, Conflict):
                await asyncio.sleep(0.2)
        patience = self.luck.choice([0.0, 5.0, 1000.0])
        row = self.database.rows[kept.head.game_id]
        while clock() < patience and row.summary.status != "over":
            await asyncio.sleep(self.luck.uniform(0, THINKING))
            with suppress(Refusal, Conflict):
                await self.step(self.luck.choice(self.living), kept.head.game_id)

    async def step(self, server: Server, game_id: str) -> None:
        """Play an action for whoever is to decide, if that is a person."""
        async with server.keeper.lend(game_id) as live:
            kept, now = live.kept, server.store.now()
            if kept.turn is not None and kept.mover is None:
                text = self.luck.choice(kept.position.legal_actions()).text
                viewer = Viewer((0, 1))
                await server.keeper.change(live, lambda game: course.play(game, viewer, kept.version, text, now))

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
        movers = Counter(game_id for server in self.living for game_id in server.keeper._due.moving)
        assert set(movers.values()) <= {1}, f"{movers} at {clock():.3f}"
        now = STARTED + 1000 * clock()
        for game_id, row in self.database.rows.items():
            if movers[game_id] or self.due(row) > now - 2000 * LOOK:
                continue
            full = row.summary.bots_only and all(lane.free <= 0 for lane in self.lanes(bots_only=True))
            assert full, f"nobody moves in {game_id} at {clock():.3f}, due since {now - row.summary.due:.0f} ms"

    def due(self, row: Row) -> float:
        """Return when a server had to move in a game, for a person not soon after an outage; infinite for never."""
        kept = ServerGame(row.head, row.entries)
        able = [server for server in self.living if not (row.new and server.old)]
        moments = [due_at(kept, server.keeper._due._since) for server in able]
        return max((inf if moment is None else moment for moment in moments), default=inf)

    def lanes(self, *, bots_only: bool) -> list:
        """Return the movers of one kind of games, of all servers."""
        return [lane for server in self.living for lane in server.keeper._due._lanes if lane.bots_only == bots_only]


async def law(seed: int) -> int:
    """Let everything fail for a while, then watch the games go on; return the number of moves."""
    world = World(seed)
    playing = asyncio.create_task(world.play())
    hung = await world.suffer()
    await playing
    old = sum(server.old for server in world.living)  # each may take a game of the new version once, and releases it
    await asyncio.sleep(hung + (2 + old) * LOOK + (LEASE if world.killed else 0.0))
    for _ in range(20):
        world.require_movers()
        await asyncio.sleep(0.37)
    for row in world.database.rows.values():
        kept = ServerGame(row.head, row.entries)  # raises if anything in it was not legal
        assert kept.over or not kept.bots_only or row.new, f"the bots of {row.head.game_id} have not finished"
    for server in world.servers:
        server.kill()
    return sum(len(row.entries) for row in world.database.rows.values())


@pytest.mark.parametrize("part", range(4))
def test_every_due_game_has_one_mover_soon_after_the_faults_end(part: int) -> None:
    for seed in range(250 * part, 250 * (part + 1)):
        assert simulate(law(seed)), seed


@pytest.mark.slow
def test_the_same_ten_thousand_times() -> None:
    for seed in range(10_000):
        simulate(law(seed))
