"""The memory of all trees: how much a search gets of it, and what is kept of a game for its next question."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field

from clerestory.search.ismcts import MIN_BYTES, Searcher

GREED = 4  # a search gets at most this part of what is free beyond the equal shares


@dataclass(slots=True)
class Memory:
    """Bytes for the trees of all searches under way.

    Half of them is kept for equal shares, one for each search that can be admitted. The rest goes to whoever comes
    while there is some, so that a search alone has a large tree.

    Attributes:
        total: bytes, to which what warm trees bring along may be added.
        places: searches that can be admitted at once.
    """

    total: int
    places: int
    _extra: int = 0

    @property
    def share(self) -> int:
        """What every search can have."""
        return max(self.total // 2 // self.places, MIN_BYTES)

    def take(self, most: int) -> int:
        """Return how many bytes a search gets, at most so many; `give_back` the same number."""
        free = self.total - self.total // 2 - self._extra
        granted = max(min(most, self.share + max(free, 0) // GREED), MIN_BYTES)
        self.occupy(granted)
        return granted

    def occupy(self, granted: int) -> None:
        """Count a tree that there is already."""
        self._extra += max(granted - self.share, 0)

    def give_back(self, granted: int) -> None:
        """Take back what a search had."""
        self._extra -= max(granted - self.share, 0)


@dataclass(slots=True)
class Warm:
    """Trees of games whose next question may come, the ones used longest ago given up first.

    Whoever takes one has it alone: a second question of the same game meanwhile is a search from nothing.

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
        """Keep a tree of so many bytes, in the place of an earlier one of that key, if it fits at all."""
        self.take(key)
        if size > self.limit:
            return
        self._trees[key] = searcher, size
        self._bytes += size
        while self._bytes > self.limit:
            _, (_, given_up) = self._trees.popitem(last=False)
            self._bytes -= given_up
