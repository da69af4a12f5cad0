"""The memory of all trees: how much each search gets, and which trees are kept for their game's next question."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from math import inf
from weakref import WeakValueDictionary

from clerestory.advice.allowance import Allowance
from clerestory.advice.caller import Caller
from clerestory.advice.capacity import TOGETHER, Capacity
from clerestory.advice.demand import Demand, NoRoom, Priority
from clerestory.advice.places import Places
from clerestory.advice.question import Question
from clerestory.refusals import Reason, Refusal
from clerestory.review.plan import TREE_BYTES
from clerestory.search.ismcts import Searcher
from clerestory.search.limits import MIN_BYTES
from clerestory.search.options import shipped
from clerestory.seeds import drawn_seed

GREED = 2  # a search gets at most 1/GREED of what is free beyond the equal shares
LEAST_KEPT = 8  # trees that can be kept, however large they have grown; an equal share is granted all the same


@dataclass(slots=True)
class Memory:
    """Bytes for the trees of all searches under way.

    Half of it is reserved for equal shares, one for each search that can be admitted. The rest is given out while it
    lasts, so that a search alone has a large tree.

    Attributes:
        total: bytes; the memory that warm trees bring with them may come on top.
        places: searches that can be admitted at once.
    """

    total: int
    places: int
    _extra: int = 0

    @property
    def share(self) -> int:
        """Bytes that every search can have."""
        return max(self.total // 2 // self.places, MIN_BYTES)

    def take(self, most: int) -> int:
        """Return how many bytes a search gets, at most so many; `give_back` the same number."""
        free = self.total - self.total // 2 - self._extra
        granted = max(min(most, self.share + max(free, 0) // GREED), MIN_BYTES)
        self.occupy(granted)
        return granted

    def occupy(self, granted: int) -> None:
        """Count a tree that exists already."""
        self._extra += max(granted - self.share, 0)

    def give_back(self, granted: int) -> None:
        """Take back what a search had."""
        self._extra -= max(granted - self.share, 0)


@dataclass(slots=True)
class Warm:
    """Trees kept for the next question of their game; the least recently used are given up first.

    A tree is taken by one question at a time: a second question of the same game meanwhile starts from scratch.

    Attributes:
        limit: bytes of all of them; 0 keeps none.
    """

    limit: int
    _trees: OrderedDict[Hashable, tuple[Searcher, int]] = field(default_factory=OrderedDict)
    _bytes: int = 0

    @property
    def bytes(self) -> int:
        """Memory of the trees that are kept."""
        return self._bytes

    def take(self, key: Hashable) -> tuple[Searcher, int] | None:
        """Return a tree and its bytes, None if there is none."""
        found = self._trees.pop(key, None)
        if found is not None:
            self._bytes -= found[1]
        return found

    def keep(self, key: Hashable, searcher: Searcher, size: int) -> None:
        """Keep a tree of so many bytes if it fits; it replaces an earlier one with that key."""
        self.take(key)
        if size > self.limit:
            return
        self._trees[key] = searcher, size
        self._bytes += size
        while self._bytes > self.limit:
            _, (_, given_up) = self._trees.popitem(last=False)
            self._bytes -= given_up


class Rooms:
    """Rooms for trees that stay open until all iterations are made, however long the search waits for its turns.

    Args:
        each: that a part of an origin may have; all together have less than twice as many, divided like `Places`.
    """

    def __init__(self, each: int) -> None:
        self._places = Places(each)
        self._queues: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()  # of those without a room
        self._freed = asyncio.Event()  # set whenever a room becomes free, and then replaced

    @asynccontextmanager
    async def taken(self, caller: Caller) -> AsyncIterator[None]:
        """Wait for a room, and have it during the block; of each origin only the first in its queue looks for one."""
        demand = Demand("tree", inf, origin=caller.origin, part=caller.part)
        async with self._queues.setdefault(caller.origin, asyncio.Lock()):
            while not self._take(demand):
                await self._freed.wait()
        try:
            yield
        finally:
            self._places.free(demand)
            self._freed.set()
            self._freed = asyncio.Event()

    def _take(self, demand: Demand) -> bool:
        """Take a room if there is one."""
        try:
            self._places.require(demand.origin, demand.part, Priority.MOVE, 0.0)
        except NoRoom:
            return False
        self._places.take(demand)
        return True


class Trees:
    """Lends each search a tree: the one kept from its game's last question, or a new one.

    Args:
        capacity: of the server.
    """

    def __init__(self, capacity: Capacity) -> None:
        self._capacity = capacity
        self._memory = Memory(capacity.memory, TOGETHER * capacity.max_searches)
        self._warm = Warm(capacity.warm_bytes)
        self._rooms = Rooms(max(1, capacity.memory // 2 // (TOGETHER * TREE_BYTES)))

    @contextmanager
    def lend(self, question: Question, caller: Caller, allowance: Allowance) -> Iterator[Searcher]:
        """Lend a search its tree, and keep the tree for the game's next question unless it is empty or the block fails.

        No caller gets another's tree: it would show what the other has searched. Raises Refusal, BUSY.
        """
        key = None if question.tree_key is None else (caller, question.tree_key)
        kept = self._kept(key, question)
        searcher, size = kept or self._new(question, allowance)
        usable = False
        try:
            yield searcher
            usable = True
        except (Refusal, asyncio.CancelledError, GeneratorExit):
            usable = True
            raise
        finally:
            self._memory.give_back(size)
            if usable and key is not None and (kept or searcher.iterations):  # an empty one would drive out others
                self._warm.keep(key, searcher, size)

    @asynccontextmanager
    async def open(self, question: Question, caller: Caller) -> AsyncIterator[Searcher]:
        """Lend a search a tree of as many bytes as it asks for, once so many may have one.

        Raises Refusal, BUSY, without memory.
        """
        size = question.terms.max_tree_bytes or self._capacity.max_tree_bytes
        async with self._rooms.taken(caller):
            self._memory.occupy(size)
            try:
                yield new_searcher(question, size)
            finally:
                self._memory.give_back(size)

    def _kept(self, key: Hashable | None, question: Question) -> tuple[Searcher, int] | None:
        """Return the tree kept for a question, moved to its position, and its bytes."""
        found = None if key is None else self._warm.take(key)
        if found is None:
            return None
        searcher, size = found
        try:
            searcher.advance(question.root)
        except (ValueError, RuntimeError):  # another game by now, or a thread that has not left it yet
            return None
        self._memory.occupy(size)
        return searcher, size

    def _new(self, question: Question, allowance: Allowance) -> tuple[Searcher, int]:
        """Return an empty tree and its bytes. Raises Refusal, BUSY, without memory."""
        most = allowance.tree_bytes
        if question.tree_key is not None and self._warm.limit:
            most = min(most, max(self._warm.limit // LEAST_KEPT, self._memory.share))
        try:
            return self._made(question, most)
        except Refusal:  # the system has less than the settings say
            return self._made(question, self._memory.share)

    def _made(self, question: Question, most: int) -> tuple[Searcher, int]:
        """Return the same, of at most so many bytes."""
        size = self._memory.take(most)
        try:
            return new_searcher(question, size), size
        except Refusal:
            self._memory.give_back(size)
            raise


def new_searcher(question: Question, tree_bytes: int) -> Searcher:
    """Return a new search. Raises Refusal, BUSY, without memory."""
    given, view = question.terms.seed, question.view
    seed = drawn_seed() if given is None else given
    options = shipped(view.game, view.seats) if question.options is None else question.options
    try:
        return Searcher(question.root, seed=seed, max_bytes=max(tree_bytes, MIN_BYTES), **options)
    except MemoryError:
        raise Refusal(Reason.BUSY, [("", "the server has no memory left for another search")], retry=1.0) from None
