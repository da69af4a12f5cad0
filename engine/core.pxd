# cython: language_level=3
"""The contract: a game is a flat C struct and a table of C functions. Read this page first.

A state is at most MAX_BYTES bytes without pointers, padding zeroed, so that memcpy copies and memcmp
compares; its first byte is the number of seats. Functions cannot fail: the caller must meet the preconditions
given here, as the checked Python interface (State) does. Luck is explicit: every die roll, draw and reveal is an
action of NATURE. Hidden information is data: an undealt card is a field with the value UNKNOWN.
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint16_t, uint64_t
from clerestory.engine.bounds cimport *
from clerestory.engine.encoding cimport Encoder
from clerestory.engine.rng cimport rng_t

ctypedef uint16_t action_t

cpdef enum:
    NATURE = -1      # turn: a chance event is due; as an observer: an onlooker who sees only what is public
    OVER = -2        # turn: the game has ended

# Precondition: the fields are in range, and the invariants before this one hold.
ctypedef bint (*predicate)(const void *s) noexcept nogil

cdef struct Invariant:
    predicate holds
    const char *field     # field to report if it does not hold, by its name in JSON; "" if any of several may be wrong
    const char *code      # code of its text among the game's texts: `rule.CODE`

cdef struct GameOps:
    int state_size   # bytes, a multiple of 8
    int num_actions  # codes are 0 .. num_actions - 1
    int max_plies    # maximum number of decisions and chance events in a game
    int min_seats
    int max_seats

    # the seat to decide, or NATURE, or OVER
    int (*turn)(const void *s) noexcept nogil
    # the seat's actions, or the outcomes that are possible given public knowledge: ascending, unique,
    # empty only when over; returns their number. A seat whose cards are unknown has every action it might have
    int (*legal)(const void *s, action_t *out) noexcept nogil
    # probability of each of Nature's outcomes, in legal order, given what everyone can see
    void (*odds)(const void *s, double *out) noexcept nogil
    # draw one outcome for Nature: from the decks if they are dealt, else by odds
    action_t (*draw)(const void *s, rng_t *rng) noexcept nogil
    # apply a legal action. An outcome that contradicts a dealt deck changes the deck, never the outcome
    void (*play)(void *s, action_t a) noexcept nogil
    # at the end: win share per seat (sums to 1), and final score
    void (*returns)(const void *s, double *out) noexcept nogil
    void (*scores)(const void *s, double *out) noexcept nogil
    # clear everything that the seat (or an onlooker, NATURE) cannot know; in place, idempotent
    void (*observe)(void *s, int seat) noexcept nogil
    # determinize: fill in every unknown, uniformly over the consistent possibilities; no-op if nothing is unknown
    void (*deal)(void *s, rng_t *rng) noexcept nogil
    # hash of the state after observe(s, seat): the identity of the seat's information set
    uint64_t (*key)(const void *s, int seat) noexcept nogil
    # opening position, decks dealt; fills all state_size bytes
    void (*setup)(void *s, int seats, rng_t *rng) noexcept nogil
    # whether Game.consistency_checks find nothing; NULL if only they can tell. Precondition: the fields are in range
    predicate consistent
    # invariants of every position beyond the declarations of its fields (layout.py)
    int num_invariants
    const Invariant *invariants

# Evaluates positions with its own weights, so several can be used side by side. Weights outlive their users.
cdef struct Value:
    const void *weights
    # Write the expected final score of each seat, in the unit of scores, for any seat to decide. If the value has win
    # shares, write them too (they sum to 1) and return True. Accepts dealt and observed states; at the end of the game
    # both are the actual results
    bint (*evaluate)(const void *weights, const void *s, double *scores, double *shares) noexcept nogil

# Learned factors of a guide's weights, in rows by round, from 1; later rounds use the last row.
cdef struct Priors:
    const float *factors  # above 0, num_actions per row; NULL: none were learned
    int rounds            # rows

# Knowledge of good play: optional, separate from the rules. Used by bots and playouts.
cdef struct Guide:
    int num_features
    const char *const *features    # their names; the first is the score, in the unit of scores
    # expected final score per seat with the game's kind of weights, otherwise like a Value without win shares
    bint (*evaluate)(const void *weights, const void *s, double *scores, double *shares) noexcept nogil
    # weight > 0 of each of n legal actions of the deciding seat, for informed playouts and priors
    void (*weigh)(const void *s, const action_t *legal, int n, float *out) noexcept nogil
    # the named features of one seat, for explanations
    void (*feature)(const void *s, int seat, double *out) noexcept nogil
    # number of the current round, from 1: explanations also give expectations for its end, and priors depend on it
    int (*round)(const void *s) noexcept nogil


cdef inline void margins_of(const double *scores, int seats, double *out) noexcept nogil:
    """Write each seat's score minus the best other score."""
    cdef int seat, other
    cdef double best
    for seat in range(seats):
        best = -INFINITY
        for other in range(seats):
            if other != seat:
                best = max(best, scores[other])
        out[seat] = scores[seat] - best


cdef class Game:
    cdef const GameOps *ops
    cdef const Guide *guide        # NULL if the game has none
    cdef const Encoder *encoder    # NULL if the game has no features for a learned value
    cdef readonly dict hand_values  # weights of the guide's value by name, arrays of doubles
    cdef readonly tuple sides        # inputs of a learned value for a seat and for the table; () if there are none
    cdef readonly tuple input_names  # of the features, in order: those of a seat, then those of the table
    cdef readonly str name
    cdef readonly int rules_revision
    cdef readonly tuple texts      # of each action code, in order; unique
    cdef readonly tuple labels     # the same in plain English
    cdef readonly object layout    # the fields of a position
    cdef readonly object tuning    # search settings
    cdef readonly str catalogue    # hash of the card catalogue in use, "" for a game without one
    cdef tuple _seat_names
    cdef object _cards, _picture
    cdef list _matrices            # of the sides, created on the first request of a fit
    cdef readonly tuple consistency_checks  # checks across fields: functions of the fields that yield errors
    cdef dict _codes
    cdef void bind(self, const GameOps *ops, const Guide *guide, const Encoder *encoder=*)
    cdef int _code(self, object code) except -1             # action code from a Python object. Raises BadText
    cdef int _seat(self, object seat, int seats) except? NATURE  # seat or NATURE from an object. Raises BadPosition
    cdef object _broken_rule(self, int broken, int number)
    cdef int broken(self, const void *s)  # index of the first broken invariant of the ops, -1 for none
    # a coming chance event that was shown to one seat, which is not an action
    cdef int private_outcomes(self, const void *s, int seat, action_t *out)   # possible outcomes; returns their number
    cdef void set_private_outcome(self, void *s, int seat, action_t outcome)  # set the outcome
    cdef void clear_private_outcome(self, void *s, int seat)                  # clear the outcome
    cdef bint foresees(self, const void *s, int seat)  # whether it was shown the outcome of the pending event


cdef class State:
    cdef readonly Game game
    cdef uint64_t data[MAX_WORDS]  # aligned
    cdef list past                 # (action code, bytes before it), oldest first; None: none yet
    cdef bint is_legal(self, int code)
    cdef int seat(self, object seat) except? NATURE  # a seat or NATURE from a Python object. Raises BadPosition
    cdef inline const void *view(self) noexcept:
        return <const void *> self.data
