"""The memory of all trees: how much each search gets, and which trees are kept for their game's next question."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import inf
from threading import Lock
from weakref import WeakValueDictionary

from clerestory.advice.allowance import Allowance
from clerestory.advice.caller import Caller
from clerestory.advice.capacity import TOGETHER, Capacity
from clerestory.advice.demand import Demand, NoRoom, Priority
from clerestory.advice.lazy import LazySearcher, let_go
from clerestory.advice.places import Places
from clerestory.advice.question import Question
from clerestory.refusals import Reason, Refusal
from clerestory.review.plan import TREE_BYTES
from clerestory.search.ismcts import Searcher
from clerestory.search.limits import MIN_BYTES
from clerestory.search.options import shipped
from clerestory.search.root import Root
from clerestory.seeds import drawn_seed

GREED = 2  # a search gets at most 1/GREED of what is free beyond the equal shares
PLACES = TOGETHER + 1  # searches that can have a tree, in multiples of `max_searches`: the backlog has half for those
# with a place, and half for those interrupted
LEAST_KEPT = 8  # trees that can be kept, however large they have grown; an equal share is granted all the same


@dataclass(slots=True)
class Memory:
    """Bytes for the trees of all searches under way; for any thread.

    Half of it is reserved for equal shares, one for each search that can be admitted. The rest is given out while it
    lasts, so that a search alone has a large tree.

    Attributes:
        total: bytes; the memory that warm trees bring with them may come on top.
        places: searches that can be admitted at once.
    """

    total: int
    places: int
    _extra: int = 0
    _lock: Lock = field(default_factory=Lock)

    @property
    def share(self) -> int:
        """Bytes that every search can have."""
        return max(self.total // 2 // self.places, MIN_BYTES)

    def take(self, most: int) -> int:
        """Return how many bytes a search gets, at most so many; `give_back` the same number."""
        with self._lock:
            free = self.total - self.total // 2 - self._extra
            granted = max(min(most, self.share + max(free, 0) // GREED), MIN_BYTES)
            self._extra += max(granted - self.share, 0)
        return granted

    def occupy(self, granted: int) -> None:
        """Count a tree that exists already."""
        with self._lock:
            self._extra += max(granted - self.share, 0)

    def give_back(self, granted: int) -> None:
        """Take back what a search had."""
        with self._lock:
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

    def keep(self, key: Hashable, searcher: Searcher, size: int) -> list[Searcher]:
        """Keep a tree of so many bytes if it fits, instead of an earlier one with that key; return those given up."""
        before = self.take(key)
        given_up = [] if before is None else [before[0]]
        if size > self.limit:
            return [*given_up, searcher]
        self._trees[key] = searcher, size
        self._bytes += size
        while self._bytes > self.limit:
            _, (oldest, freed) = self._trees.popitem(last=False)
            self._bytes -= freed
            given_up.append(oldest)
        return given_up


class Rooms:
    """Rooms for trees that stay open until all iterations are made, however long the search waits for its turns.

    Args:
        each: that a part of an origin may have; all together have less than twice as many, divided like `Places`.
    """

    def __init__(self, each: int) -> None:
        self._places = Places(each, firm=True)
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


class LentTree:
    """The tree of a question while it is searched: there is none before a thread searches.

    Args:
        kept: that of the last question of its game, and its bytes; None for none.
        make: returns a new tree and its bytes.
        memory: from which these are.
        root: of the question.
    """

    def __init__(
        self, kept: tuple[Searcher, int] | None, make: Callable[[], tuple[Searcher, int]], memory: Memory, root: Root
    ) -> None:
        self.searcher = LazySearcher(self._first)
        self._kept, self._make, self._memory, self._root = kept, make, memory, root
        self._state = Lock()
        self._begun = self._closed = False
        self._size = 0  # of the memory that it has

    def _first(self) -> Searcher:
        """Return the tree that was kept, moved to the position, or a new one; called by the first thread."""
        with self._state:
            if self._closed:
                raise RuntimeError("the search has ended")
            self._begun = True
        searcher, size = self._moved() or self._make()
        with self._state:
            if self._closed:
                self._memory.give_back(size)
            else:
                self._size = size
        return searcher

    def _moved(self) -> tuple[Searcher, int] | None:
        if self._kept is None:
            return None
        searcher, size = self._kept
        try:
            searcher.advance(self._root)
        except (ValueError, RuntimeError):  # another game by now, or a thread that has not left it yet
            self._kept = None
            return None
        self._memory.occupy(size)
        return self._kept

    def close(self) -> tuple[Searcher | None, int, bool]:
        """End the search; return its tree, the bytes, and whether it is of use for the game's next question."""
        with self._state:
            self._closed, size = True, self._size
        searcher = self.searcher.close()
        if not self._begun and self._kept is not None:
            return *self._kept, True
        self._memory.give_back(size)
        return searcher, size, searcher is not None and bool(self._kept is not None or searcher.iterations)


class Trees:
    """Lends each search a tree: the one kept from its game's last question, or a new one.

    Args:
        capacity: of the server.
        discard: frees a tree, in another thread.
    """

    def __init__(self, capacity: Capacity, discard: Callable[[Searcher], None] = let_go) -> None:
        self._capacity = capacity
        self._discard = discard
        self._memory = Memory(capacity.memory, PLACES * capacity.max_searches)
        self._warm = Warm(capacity.warm_bytes)
        self._rooms = Rooms(max(1, capacity.memory // 2 // (TOGETHER * TREE_BYTES)))

    @contextmanager
    def lend(self, question: Question, caller: Caller, allowance: Allowance) -> Iterator[LazySearcher]:
        """Lend a search its tree, and keep the tree for the game's next question unless it is empty or the block fails.

        No caller gets another's tree: it would show what the other has searched. To make it raises Refusal, BUSY.
        """
        key = None if question.tree_key is None else (caller, question.tree_key)
        kept = None if key is None else self._warm.take(key)
        lent, usable = LentTree(kept, partial(self._new, question, allowance), self._memory, question.root), False
        try:
            yield lent.searcher
            usable = True
        except (Refusal, asyncio.CancelledError, GeneratorExit):
            usable = True
            raise
        finally:
            self._take_back(lent, key if usable else None)

    def _take_back(self, lent: LentTree, key: Hashable | None) -> None:
        """Keep a tree under a key, or free it if there is none; an empty one would drive out others."""
        searcher, size, useful = lent.close()
        if searcher is not None:
            given_up = self._warm.keep(key, searcher, size) if useful and key is not None else [searcher]
            del searcher
            while given_up:
                self._discard(given_up.pop())

    @asynccontextmanager
    async def open(self, question: Question, caller: Caller) -> AsyncIterator[LazySearcher]:
        """Lend a search a tree of as many bytes as it asks for, once so many may have one.

        To make it raises Refusal, BUSY, without memory.
        """
        size = question.terms.max_tree_bytes or self._capacity.max_tree_bytes
        async with self._rooms.taken(caller):
            self._memory.occupy(size)
            lazy = LazySearcher(lambda: new_searcher(question, size))
            try:
                yield lazy
            finally:
                self._memory.give_back(size)
                if (searcher := lazy.close()) is not None:
                    self._discard(searcher)

    def _new(self, question: Question, allowance: Allowance) -> tuple[Searcher, int]:
        """Return an empty tree and its bytes; for any thread. Raises Refusal, BUSY, without memory."""
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
        except BaseException:
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
