"""Divides memory between the trees of all searches, and keeps trees for later queries of the same game."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import inf
from threading import Lock
from weakref import WeakValueDictionary

from clerestory.search.ismcts import Searcher
from clerestory.search.limits import MIN_BYTES, REVIEW_TREE_BYTES
from clerestory.search.options import shipped
from clerestory.search.root import Root
from clerestory.seeds import random_seed
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.capacity import TOGETHER, Capacity
from clerestory.server.analysis.demand import Demand, NoRoom, Priority
from clerestory.server.analysis.lazy import LazySearcher, let_go, raise_ended
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import Question
from clerestory.server.analysis.quota import SearchQuota
from clerestory.service_errors import Reason, ServiceError

GREED = 2  # a search gets at most 1/GREED of the memory that is free beyond the equal shares
PLACES = TOGETHER + 1  # maximum number of trees, in multiples of `max_searches`:
# background searches have one half for running, and one half for interrupted ones
LEAST_KEPT = 8  # number of warm trees that always fit in memory, unless the equal share is larger


@dataclass(slots=True)
class Memory:
    """Memory for the trees of all searches, for use by any thread.

    Half of it is reserved for equal shares, one for each search that can be admitted. The rest is granted first come,
    first served, so that a single search has a large tree.

    Attributes:
        total: bytes; the memory of reused warm trees may come on top.
        places: maximum number of admitted searches.
    """

    total: int
    places: int
    _extra: int = 0
    _lock: Lock = field(default_factory=Lock)

    @property
    def share(self) -> int:
        """The bytes guaranteed to every search."""
        return max(self.total // 2 // self.places, MIN_BYTES)

    def take(self, most: int) -> int:
        """Return the bytes granted to a search, at most `most`; `give_back` the same number."""
        with self._lock:
            free = self.total - self.total // 2 - self._extra
            granted = max(min(most, self.share + max(free, 0) // GREED), MIN_BYTES)
            self._extra += max(granted - self.share, 0)
        return granted

    def occupy(self, granted: int) -> None:
        """Count the memory of an existing tree."""
        with self._lock:
            self._extra += max(granted - self.share, 0)

    def give_back(self, granted: int) -> None:
        """Release the memory of a search."""
        with self._lock:
            self._extra -= max(granted - self.share, 0)


@dataclass(slots=True)
class Warm:
    """Trees kept for the next query of their game; the least recently used are evicted first.

    One query at a time uses a tree; a second query of the same game starts from scratch.

    Attributes:
        limit: maximum bytes of all trees; 0 keeps none.
    """

    limit: int
    _trees: OrderedDict[Hashable, tuple[Searcher, int]] = field(default_factory=OrderedDict)
    _bytes: int = 0

    @property
    def bytes(self) -> int:
        """The bytes of the kept trees."""
        return self._bytes

    def take(self, key: Hashable) -> tuple[Searcher, int] | None:
        """Return a tree and its size in bytes; None if there is none."""
        found = self._trees.pop(key, None)
        if found is not None:
            self._bytes -= found[1]
        return found

    def keep(self, key: Hashable, searcher: Searcher, size: int) -> list[Searcher]:
        """Keep a tree of `size` bytes if it fits, replacing any with the same key; return the evicted trees."""
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


class TreeSlots:
    """Slots for trees that stay in memory until their search has run all its iterations.

    Args:
        each: slots for a part of an origin; all together have less than twice as many, divided as in `SearchQuota`.
    """

    def __init__(self, each: int) -> None:
        self._places = SearchQuota(each, firm=True)
        self._queues: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()  # of waiters, by origin
        self._freed = asyncio.Event()  # set when a slot is freed, and then replaced

    @asynccontextmanager
    async def taken(self, caller: Caller) -> AsyncIterator[None]:
        """Wait for a slot, and hold it during the block; only the first waiter of each origin competes for one."""
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
        """Take a slot if there is one."""
        try:
            self._places.require(demand.origin, demand.part, Priority.MOVE, 0.0)
        except NoRoom:
            return False
        self._places.take(demand)
        return True


class LentTree:
    """The tree of a query during its search, created or reused by the first thread.

    Args:
        kept: the tree of the game's last query, with its size in bytes; None if there is none.
        make: creates a tree, and returns it with its size in bytes.
        memory: the memory that the tree counts against.
        root: the root of the query.
    """

    def __init__(
        self, kept: tuple[Searcher, int] | None, make: Callable[[], tuple[Searcher, int]], memory: Memory, root: Root
    ) -> None:
        self.searcher = LazySearcher(self._first)
        self._kept, self._make, self._memory, self._root = kept, make, memory, root
        self._state = Lock()
        self._begun = self._closed = False
        self._size = 0  # granted bytes

    def _first(self) -> Searcher:
        """Return the kept tree, moved to the position, or a new one; called by the first thread."""
        with self._state:
            if self._closed:
                raise_ended()
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
        except (ValueError, RuntimeError):  # another game, or a thread is still searching
            self._kept = None
            return None
        self._memory.occupy(size)
        return self._kept

    def close(self) -> tuple[Searcher | None, int, bool]:
        """End the search; return its tree, the size in bytes, and whether the tree is worth keeping."""
        with self._state:
            self._closed, size = True, self._size
        searcher = self.searcher.close()
        if not self._begun and self._kept is not None:
            return *self._kept, True
        self._memory.give_back(size)
        return searcher, size, searcher is not None and bool(self._kept is not None or searcher.iterations)


class Trees:
    """Lends each search a tree: the one kept from its game's last query, or a new one.

    Args:
        capacity: the server's limits.
        discard: frees a tree, in another thread.
    """

    def __init__(self, capacity: Capacity, discard: Callable[[Searcher], None] = let_go) -> None:
        self._capacity = capacity
        self._discard = discard
        self._memory = Memory(capacity.memory, PLACES * capacity.max_searches)
        self._warm = Warm(capacity.warm_bytes)
        self._rooms = TreeSlots(max(1, capacity.memory // 2 // (TOGETHER * REVIEW_TREE_BYTES)))

    @contextmanager
    def lend(self, question: Question, caller: Caller, limits: Limits) -> Iterator[LazySearcher]:
        """Lend a search its tree, and keep the tree for the game's next query, unless it is empty or the block fails.

        Callers never share trees, because a tree reveals what its caller has searched. Creating it raises ServiceError:
        BUSY.
        """
        key = None if question.tree_key is None else (caller, question.tree_key)
        kept = None if key is None else self._warm.take(key)
        make, usable = partial(self._new, question, limits.max_tree_bytes or MIN_BYTES), False
        lent = LentTree(kept, make, self._memory, question.root)
        try:
            yield lent.searcher
            usable = True
        except (ServiceError, asyncio.CancelledError, GeneratorExit):
            usable = True
            raise
        finally:
            self._take_back(lent, key if usable else None)

    @contextmanager
    def occupied(self, size: int) -> Iterator[None]:
        """Count memory that a search uses beside its tree, in bytes, during the block."""
        self._memory.occupy(size)
        try:
            yield
        finally:
            self._memory.give_back(size)

    def _take_back(self, lent: LentTree, key: Hashable | None) -> None:
        """Keep a tree under a key, or free it without one; an empty tree would displace others."""
        searcher, size, useful = lent.close()
        if searcher is not None:
            given_up = self._warm.keep(key, searcher, size) if useful and key is not None else [searcher]
            del searcher
            while given_up:
                self._discard(given_up.pop())

    @asynccontextmanager
    async def open(self, question: Question, caller: Caller) -> AsyncIterator[LazySearcher]:
        """Lend a search a tree of the requested size, once it has a slot.

        Creating it raises ServiceError, BUSY, if there is not enough memory.
        """
        size = question.limits.max_tree_bytes or self._capacity.max_tree_bytes
        async with self._rooms.taken(caller):
            self._memory.occupy(size)
            lazy = LazySearcher(lambda: new_searcher(question, size))
            try:
                yield lazy
            finally:
                self._memory.give_back(size)
                if (searcher := lazy.close()) is not None:
                    self._discard(searcher)

    def _new(self, question: Question, most: int) -> tuple[Searcher, int]:
        """Return an empty tree of at most `most` bytes, and its size. Thread-safe. Raises ServiceError: BUSY."""
        if question.tree_key is not None and self._warm.limit:
            most = min(most, max(self._warm.limit // LEAST_KEPT, self._memory.share))
        try:
            return self._made(question, most)
        except ServiceError:  # the system has less memory than configured
            return self._made(question, self._memory.share)

    def _made(self, question: Question, most: int) -> tuple[Searcher, int]:
        """Return an empty tree of at most `most` bytes, and its size."""
        size = self._memory.take(most)
        try:
            return new_searcher(question, size), size
        except BaseException:
            self._memory.give_back(size)
            raise


def new_searcher(question: Question, tree_bytes: int) -> Searcher:
    """Create a searcher. Raises ServiceError: BUSY, for lack of memory."""
    given, view = question.limits.seed, question.view
    seed = random_seed() if given is None else given
    options = shipped(view.game, view.seats) if question.options is None else question.options
    try:
        return Searcher(question.root, seed=seed, max_bytes=max(tree_bytes, MIN_BYTES), **options)
    except MemoryError:
        raise ServiceError(Reason.BUSY, [("", "the server has no memory left for another search")], retry=1.0) from None
