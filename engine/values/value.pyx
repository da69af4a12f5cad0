# cython: language_level=3
"""The values of a game by name: hand-made ones, the shipped learned one, and files of weights."""
from array import array
from functools import cache
from importlib.resources import files
from pathlib import Path
from zlib import crc32

from clerestory.engine.core cimport MAX_SEATS, Game, Priors, State
from clerestory.engine.values.net cimport NetMemory

from clerestory.engine.errors import BadWeights
from clerestory.engine.values.weights import distance, read_weights

HAND, LEARNED = "hand", "net"
FARTHEST = 0.2  # distance from the cards that a value was learned with; docs/learning.md
KEPT = {}  # by game, name, kind of vectors and state of the file: values are constant and shared by many searches

DISTANCES = {}  # of weights from the cards in use, by game, catalogue and checksum


cdef class Valuation:
    """A value of one game, which evaluates positions. Created by value_of.

    Attributes:
        name: the name given to value_of.
        weights: weights of a net; None for a hand-made value.
        has_priors: whether factors of the guide's weights were learned with it.
    """

    @property
    def has_priors(self):
        return self.weights is not None and self.weights.priors is not None

    cdef Priors priors(self, State state):
        """Return the factors for the number of seats of a position. Precondition: the value has priors.

        They are valid as long as this object lives.
        """
        cdef int table = state.seats - state.game.ops.min_seats
        return Priors(factors=&self.factors[table, 0, 0], rounds=<int> self.factors.shape[1])

    def __call__(self, State state not None):
        """Return expected final scores by seat, in points, and win shares, or None if the value has none."""
        cdef double scores[MAX_SEATS]
        cdef double shares[MAX_SEATS]
        cdef bint shared = self.c.evaluate(self.c.weights, state.data, scores, shares)
        seats = range(state.seats)
        return tuple([scores[i] for i in seats]), tuple([shares[i] for i in seats]) if shared else None

    def signature(self, states not None):
        """Return 8 hexadecimal digits that change with any bit of the value's results for the positions."""
        digest = 0
        for state in states:
            scores, shares = self(state)
            digest = crc32(array("d", (*scores, *(shares or ()))).tobytes(), digest)
        return f"{digest:08x}"


def value_of(Game game not None, str name not None, *, bint narrow=False):
    """Return a value of a game.

    Args:
        game: the game.
        name: name of a hand-made value (`hand` is the one in use), `net` for the learned one shipped with the game,
            `net-N` for one shipped for games of N players, or the path of a file of weights.
        narrow: as in NetMemory.

    Raises BadWeights for an unknown name, or for a file that is not for this game.
    """
    key = game.name, name, narrow, stamp_of(game, name)
    if key not in KEPT:
        handmade = name in game.hand_values
        KEPT[key] = by_hand(game, name) if handmade else learned(game, name, file_of(game, name), narrow)
    return KEPT[key]


def stamp_of(game, name):
    """Return the state of a named file; None for shipped values, which do not change."""
    if name in shipped_values(game.name) or name in game.hand_values:
        return None
    status = file_of(game, name).stat()
    return status.st_mtime_ns, status.st_size


def value_in_use(Game game not None, seats=None):
    """Return the name of the value that the shipped search of a game uses, and the reason in a sentence.

    It is `net-N` if a learned value is shipped for N seats, else `net` if one is shipped for all numbers of seats, and
    the cards in use are within FARTHEST of those that it was learned with; otherwise `hand`.

    Args:
        game: the game.
        seats: the number of seats; None asks for the value of all numbers.
    """
    shipped = shipped_values(game.name)
    if not shipped:
        return HAND, "no learned value is shipped"
    special = f"{LEARNED}-{seats}"
    name = special if special in shipped else LEARNED
    weights = value_of(game, name).weights
    if weights.catalogue == game.catalogue:
        return name, f"weights {weights.checksum}, learned with these cards"
    far = distance_of(game, weights)
    cards = f"these cards are {far:.1%} away from those of the learned value"
    if far > FARTHEST:
        return HAND, f"{cards}, which holds up to {FARTHEST:.0%}"
    return name, f"weights {weights.checksum}; {cards}, which holds up to {FARTHEST:.0%}"


def distance_of(Game game not None, weights not None):
    """Return the distance between the cards in use and those of the weights, 0 to 1 (`weights.distance`).

    It is cached, because every search with such cards needs it.
    """
    key = game.name, game.catalogue, weights.checksum
    if key not in DISTANCES:
        sides = zip(weights.cards, game.sides, strict=True)
        DISTANCES[key] = max([distance(known, side.cards) for known, side in sides])
    return DISTANCES[key]


@cache
def shipped_values(name):
    """Return the files of a game's shipped learned values by name: {} or `net`, and `net-N` for N players alone.

    It is cached, because it is called for each search.
    """
    folder = Path(str(files(f"clerestory.engine.{name}")))
    return {path.stem.replace("value", LEARNED): path for path in sorted(folder.glob("value*.bin"))}


def file_of(game, name):
    """Return the path of a named file of weights. Raises BadWeights if there is none."""
    path = shipped_values(game.name).get(name) or Path(name)
    if path.is_file():
        return path
    names = [*game.hand_values, *shipped_values(game.name)]
    raise BadWeights(f"{name[:80]!r} is neither a value of {game.name} ({', '.join(names)}) nor a file of weights")


cdef Valuation by_hand(Game game, str name):
    cdef const double[::1] weights = game.hand_values[name]
    cdef Valuation value = Valuation()
    value.name, value.memory = name, weights
    value.c.weights = &weights[0] if len(weights) else NULL
    value.c.evaluate = game.guide.evaluate
    return value


cdef Valuation learned(Game game, str name, object path, bint narrow):
    cdef Valuation value = Valuation()
    cdef NetMemory memory
    value.name, value.weights = name, read_weights(path, game)
    memory = NetMemory(game, value.weights, narrow=narrow)
    value.memory = memory
    value.c = memory.value()
    if value.has_priors:
        value.factors = value.weights.priors
    return value
