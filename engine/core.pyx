# cython: language_level=3
"""The checked Python interface of every game: Game, State, Action. The unchecked twins are in core.pxd."""
import json
from typing import NamedTuple

from libc.string cimport memcmp, memcpy

from clerestory.engine.errors import BadPosition, BadText, GameError, IllegalAction, NotOver, quoted
from clerestory.engine.errors import text as fault
from clerestory.engine.positions.envelope import check_envelope, list_fields, read_json
from clerestory.engine.encoding cimport Encoder, write_inputs
from clerestory.engine.integers cimport is_integer
from clerestory.engine.rng cimport Rng
from clerestory.i18n import say


class Action(NamedTuple):
    """An action: its code inside the engine, its text everywhere else, and a label in plain English."""

    code: int
    text: str
    label: str

    def __str__(self):
        return self.text


def matrix_of(side, np):
    """Return the features of places as a float32 array (places, features)."""
    found = np.zeros((len(side.rows), len(side.names)), np.float32)
    for place, row in enumerate(side.rows):
        for feature, amount in row:
            found[place, feature] = amount
    return found


cdef Rng stream(object seed):
    return <Rng> seed if isinstance(seed, Rng) else Rng(seed)


def state_of(Game game not None, bytes memory not None, list past):
    """Return a pickled position. Raises BadPosition for memory that is not a position."""
    sizes = {len(memory), *(len(before) for _, before in past)}
    if sizes != {game.ops.state_size} or game.check_bytes(memory):
        raise BadPosition([("position", fault("fault.memory"))])
    cdef State state = State.__new__(State, game)
    memcpy(state.data, <const char *> memory, game.ops.state_size)
    state.past = past or None
    return state


cdef class Game:
    """A game's rules: creates its positions and parses its texts. Shared and immutable.

    Args:
        name: the game's name, also the name of its field in a position.
        rules_revision: increased whenever the same actions can lead to other positions than before.
        actions: (text, label) of each action code, in order; texts are unique.
        layout: the fields of its positions.
        consistency_checks: functions of a position's fields that yield errors, each a path and a description. They
            rely only on the fields' types and ranges; the first line of each docstring is the rule.
        seat_names: names of the seats in texts; by default their numbers.
        picture: formats a position's fields as a readable picture.
        tuning: search settings.
        cards: its card catalogue.
        hand_values: weights of the guide's value, doubles in its order, by name; "hand" is the one in use.
        inputs: the sides (engine/inputs.py) that a learned value sees, of a seat and of the table; the game binds its
            encoder.
    """

    def __init__(
        self, str name, rules_revision, actions, layout, consistency_checks=(), *, tuning, seat_names=(),
        picture=None, cards=None, hand_values=None, inputs=None,
    ):
        self.name = name
        self.rules_revision = rules_revision
        self.layout = layout
        self.tuning = tuning
        self.consistency_checks = tuple(consistency_checks)
        self._seat_names = tuple(seat_names) or tuple(f"seat {seat}" for seat in range(MAX_SEATS))
        self._picture = picture or list_fields
        self.catalogue = cards.content_hash() if cards else ""
        self._cards = cards.rows() if cards else {}
        self.hand_values = hand_values or {}
        self.sides = inputs or ()
        self.input_names = tuple(side.names for side in inputs) if inputs else ((), ())
        self.texts = tuple(text for text, _ in actions)
        self.labels = tuple(label for _, label in actions)
        self._codes = {text: code for code, text in enumerate(self.texts)}
        if self.ops == NULL or len(self._codes) != self.ops.num_actions or self.ops.state_size > MAX_BYTES:
            raise AssertionError(f"{name}: the table of actions and the table of functions do not agree")
        self._require_declared()

    def _require_declared(self):
        """Require every invariant to name a declared field, or none."""
        blamed = {self.ops.invariants[i].field.decode() for i in range(self.ops.num_invariants)}
        if strangers := blamed - {"", "players", *self.layout.names}:
            raise AssertionError(f"{self.name}: invariants blame {', '.join(strangers)}, no fields of a position")

    cdef void bind(self, const GameOps *ops, const Guide *guide, const Encoder *encoder=NULL):
        self.ops = ops
        self.guide = guide
        self.encoder = encoder

    cdef int broken(self, const void *s):
        cdef int i
        for i in range(self.ops.num_invariants):
            if not self.ops.invariants[i].holds(s):
                return i
        return -1

    cdef int private_outcomes(self, const void *s, int seat, action_t *out):
        return 0

    cdef void set_private_outcome(self, void *s, int seat, action_t outcome):
        pass

    cdef void clear_private_outcome(self, void *s, int seat):
        pass

    cdef bint foresees(self, const void *s, int seat):
        return False

    @property
    def seats(self):
        """The range of player counts."""
        return range(self.ops.min_seats, self.ops.max_seats + 1)

    @property
    def num_actions(self):
        """Size of the code space: codes are 0 to num_actions - 1."""
        return self.ops.num_actions

    @property
    def max_plies(self):
        """Maximum number of plies of a game: decisions and chance events."""
        return self.ops.max_plies

    @property
    def state_bytes(self):
        """Size of a position in memory."""
        return self.ops.state_size

    @property
    def has_guide(self):
        """Whether positions have `value`, `weights`, `phase` and `features`."""
        return self.guide != NULL

    def identity(self):
        """Return what comparable results must share: the game's name, its rules and its cards."""
        return {"game": self.name, "rules_revision": self.rules_revision, "catalogue": self.catalogue}

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def cards(self):
        """Return the card catalogue in use: rows with their sources, by list; {} for a game without one."""
        return self._cards

    def inputs(self, states not None):
        """Return the inputs of a learned value for positions, as NumPy arrays, named by `input_names`.

        Equal to `places(states)` with each place replaced by its features. Raises the same errors.
        """
        import numpy as np
        own, table, points = self.places(states)
        if self._matrices is None:
            self._matrices = [matrix_of(side, np) for side in self.sides]
        by_seat, by_table = self._matrices
        return own @ by_seat, table @ by_table, points

    def places(self, states not None):
        """Return the encoder's values for positions, as NumPy arrays: amounts, and places of cards by number.

        Args:
            states: NumPy array of uint8 (N, state_bytes), N at least 1: results of `State.to_bytes` for positions with
            the same number of seats. Memory that is not a position is not detected.

        Returns float32 arrays (N, seats, places of a seat) and (N, places of the table), scaled to about 0..1, and
        each seat's points so far (N, seats), in the unit of scores. Hidden cards do not matter: a dealt position and an
        observed one have equal places.

        Raises GameError for a game without such features, ValueError for another shape or mixed numbers of seats.
        """
        if self.encoder == NULL:
            raise GameError(f"{self.name} has no features to learn from")
        import numpy as np
        if states.ndim != 2 or states.shape[1] != self.ops.state_size or not len(states):
            raise ValueError(f"states: shape {states.shape}; it must be (N, {self.ops.state_size})")
        cdef int seats = states[0, 0]
        if seats not in self.seats or (states[:, 0] != seats).any():
            raise ValueError("states: not all of one possible number of seats")
        own = np.zeros((len(states), seats, self.encoder.own), np.float32)
        table = np.zeros((len(states), self.encoder.table), np.float32)
        points = np.zeros((len(states), seats), np.float32)
        write_inputs(self.encoder, np.ascontiguousarray(states), own, table, points)
        return own, table, points

    def weigh(self, bytes memory not None, codes not None):
        """Return the guide's weights of legal actions of a position, in their order.

        Args:
            memory: result of `State.to_bytes`. Memory that is not a position is not detected.
            codes: codes of the actions, ascending, as many as `legal_codes` has.

        Raises GameError for a game without a guide, BadText for an invalid action code, ValueError for memory of
        another size, or more actions than a decision can have.
        """
        cdef uint64_t state[MAX_WORDS]
        cdef action_t legal[MAX_LEGAL]
        cdef float out[MAX_LEGAL]
        cdef int i, n = len(codes)
        if self.guide == NULL:
            raise GameError(f"{self.name} has no guide")
        if len(memory) != self.ops.state_size or n > MAX_LEGAL:
            raise ValueError(f"{len(memory)} bytes, {n} actions; possible: {self.ops.state_size}, {MAX_LEGAL} at most")
        memcpy(state, <const char *> memory, self.ops.state_size)
        for i in range(n):
            legal[i] = self._code(codes[i])
        self.guide.weigh(state, legal, n, out)
        return [out[i] for i in range(n)]

    def seat_name(self, seat):
        """Return the name of a seat in texts. Raises BadPosition for a seat that the game never has."""
        cdef int number = self._seat(seat, self.ops.max_seats)
        return self._seat_names[number] if number >= 0 else "an onlooker"

    cdef int _seat(self, object seat, int seats) except? NATURE:
        if not is_integer(seat) or not NATURE <= seat < seats:
            raise BadPosition([("seat", fault("fault.seat", value=quoted(seat), last=seats - 1))])
        return seat

    def action(self, code):
        """Return the action of a code. Raises BadText if the code is not an integer in the code space."""
        cdef int number = self._code(code)
        return Action(number, self.texts[number], self.labels[number])

    cdef int _code(self, object code) except -1:
        if not is_integer(code) or not 0 <= code < self.ops.num_actions:
            raise BadText(f"{quoted(code)}: no action code of {self.name}; codes are 0 to {self.ops.num_actions - 1}")
        return code

    def parse_action(self, str text not None):
        """Return the action that a text names, whether or not it is legal anywhere. Raises BadText."""
        code = self._codes.get(" ".join(text.split()))
        if code is None:
            raise BadText(f"{text[:80]!r}: no action of {self.name}")
        return self.action(code)

    def new(self, seats, seed):
        """Return the opening position, hidden decks dealt.

        Args:
            seats: number of players.
            seed: 0 to 2**64 - 1, or an Rng, which is advanced.

        Raises BadPosition for a player count the game does not have.
        """
        if not is_integer(seats) or seats not in self.seats:
            known = ", ".join(map(str, self.seats))
            raise BadPosition([("seats", fault("fault.one_of", value=quoted(seats), known=known))])
        cdef State state = State.__new__(State, self)
        self.ops.setup(state.data, seats, &stream(seed).c)
        return state

    def from_position(self, position):
        """Return the position described by JSON text or an equivalent dictionary.

        Raises BadPosition, which lists all errors in it.
        """
        fields = read_json(position)
        check_envelope(self, fields)
        fields = self.layout.defaults | fields[self.name]
        self.layout.check(fields)
        self.layout.reject(fault for check in self._all_checks() for fault in check(fields))
        cdef State state = State.__new__(State, self)
        cdef bytes memory = self.layout.pack(fields)
        memcpy(state.data, <const char *> memory, self.ops.state_size)
        cdef int broken = self.broken(state.data)
        if broken >= 0:
            number = len(self.invariants) - self.ops.num_invariants + broken
            self.layout.reject([(self.ops.invariants[broken].field.decode(), self._broken_rule(broken, number))])
        return state

    cdef object _broken_rule(self, int broken, int number):
        return fault("fault.rule", number=number, sentence=fault(f"rule.{self.ops.invariants[broken].code.decode()}"))

    def _all_checks(self):
        return self.layout.place_faults, *self.consistency_checks

    @property
    def invariants(self):
        """Texts of the invariants of every position, in the order of checking; numbered from 1, the first is empty."""
        return (
            "",
            f"the number of seats is {self.ops.min_seats} to {self.ops.max_seats}",
            "every field is in its range",
            *(check.__doc__.partition("\n")[0].rstrip(".") for check in self._all_checks()),
            *(say(self.name, f"rule.{self.ops.invariants[i].code.decode()}") for i in range(self.ops.num_invariants)),
        )

    def check_bytes(self, bytes memory not None):
        """Return the number of the first invariant that arbitrary memory breaks, 0 if it breaks none.

        Raises ValueError for memory of another size than a position.
        """
        if len(memory) != self.ops.state_size:
            raise ValueError(f"memory: {len(memory)} bytes; a position has {self.ops.state_size}")
        if memory[0] not in self.seats:
            return 1
        if not self.layout.in_range(memory):
            return 2
        fields = self.layout.unpack(memory)
        for number, check in enumerate(self._all_checks(), 3):
            if any(True for _ in check(fields)):
                return number
        if self.layout.pack(fields) != memory:
            return 2
        cdef int broken = self.broken(<const char *> memory)
        return 0 if broken < 0 else len(self.invariants) - self.ops.num_invariants + broken

    def show(self, dict fields not None):
        """Return a readable picture of a position's fields."""
        return self._picture(fields)

    def __repr__(self):
        return f"<Game {self.name}>"


cdef class State:
    """A position of a game with its history. Created by Game.new and Game.from_position."""

    def __cinit__(self, Game game not None):
        self.game = game

    def __init__(self, *_):
        raise TypeError("a State comes from Game.new or Game.from_position")

    @property
    def seats(self):
        """Number of players."""
        return (<unsigned char *> self.data)[0]

    @property
    def turn(self):
        """The seat to decide, or NATURE, or OVER."""
        return self.game.ops.turn(self.data)

    @property
    def over(self):
        """Whether the game has ended."""
        return self.game.ops.turn(self.data) == OVER

    @property
    def history(self):
        """The actions played since this State was made, oldest first."""
        return tuple(self.game.action(code) for code, _ in self.past or ())

    @property
    def plies(self):
        """Number of actions in the history, without the cost of listing them."""
        return len(self.past or ())

    @property
    def origin(self):
        """The position in which this State was made, before its history."""
        cdef State other = self.copy()
        if self.past:
            memcpy(other.data, <const char *> self.past[0][1], self.game.ops.state_size)
        return other

    def legal_codes(self):
        """Return the codes of `legal_actions`: ascending, unique, empty only when over."""
        cdef action_t legal[MAX_LEGAL]
        cdef int i, n = 0 if self.over else self.game.ops.legal(self.data, legal)
        return [legal[i] for i in range(n)]

    def legal_actions(self):
        """Return the actions of the seat to decide, or Nature's possible outcomes, as Actions."""
        return tuple(self.game.action(code) for code in self.legal_codes())

    def odds(self):
        """Return the probability of each of Nature's outcomes, in the order of `legal_actions`.

        The odds are those given public knowledge. Raises IllegalAction when no chance event is due.
        """
        self._require_nature()
        cdef double odds[MAX_LEGAL]
        self.game.ops.odds(self.data, odds)
        return [odds[i] for i in range(len(self.legal_codes()))]

    def draw(self, seed):
        """Return one outcome for Nature: from the dealt decks, or by odds where nothing is dealt.

        Args:
            seed: a number, or an Rng, which is advanced.

        Raises IllegalAction when no chance event is due.
        """
        self._require_nature()
        return self.game.action(self.game.ops.draw(self.data, &stream(seed).c))

    def _require_nature(self):
        if self.turn != NATURE:
            raise IllegalAction("no chance event is due")

    def play_nature(self, seed):
        """Play chance events until a seat is to decide or the game is over; return the outcomes.

        Args:
            seed: a number, or an Rng, which is advanced.
        """
        cdef Rng luck = stream(seed)
        outcomes = []
        while self.turn == NATURE:
            outcome = self.draw(luck)
            self.play(outcome)
            outcomes.append(outcome)
        return tuple(outcomes)

    def play(self, action):
        """Play an Action, its text or its code. Raises BadText or IllegalAction, leaving the position unchanged."""
        cdef int code = self._code(action)
        if not self.is_legal(code):
            legal = [legal.text for legal in self.legal_actions()]
            says = f"legal here: {', '.join(legal)}" if legal else "the game is over"
            raise IllegalAction(f"{self.game.texts[code]}: not legal; {says}", legal)
        self.past = self.past or []
        self.past.append((code, self.to_bytes()))
        self.game.ops.play(self.data, <action_t> code)

    cdef bint is_legal(self, int code):
        cdef action_t legal[MAX_LEGAL]
        cdef int i, n = 0 if self.over else self.game.ops.legal(self.data, legal)
        for i in range(n):
            if legal[i] == code:
                return True
        return False

    def _code(self, action):
        if isinstance(action, str):
            code = self.game._codes.get(action)
            return self.game.parse_action(action).code if code is None else code
        return self.game.action(action.code if isinstance(action, Action) else action).code

    def undo(self):
        """Take back the last action and return it. Raises IndexError when there is none."""
        if not self.past:
            raise IndexError("nothing to undo")
        code, before = self.past.pop()
        memcpy(self.data, <const char *> before, self.game.ops.state_size)
        return self.game.action(code)

    def copy(self, *, history=False):
        """Return an independent copy, by default without the history."""
        cdef State other = State.__new__(State, self.game)
        memcpy(other.data, self.data, self.game.ops.state_size)
        if history:
            other.past = list(self.past or ())
        return other

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy(history=True)

    def __reduce__(self):
        """Support pickling, with the history and no additional knowledge, between processes of the same build."""
        return state_of, (self.game, self.to_bytes(), list(self.past or ()))

    def observe(self, seat):
        """Return the position as a seat knows it; NATURE means an onlooker. It has no history, which would reveal more.

        Raises BadPosition for a seat that does not exist.
        """
        cdef int observer = self.seat(seat)
        cdef State other = self.copy()
        self.game.ops.observe(other.data, observer)
        return other

    def private_outcomes(self, seat):
        """Return the possible outcomes of an event shown to the seat, if the position does not say which; mostly ().

        Showing something to one player is not an action: other programs learn of it only if that player enters it.

        Raises BadPosition for a seat that does not exist.
        """
        cdef action_t outcomes[MAX_LEGAL]
        cdef int i, n = self.game.private_outcomes(self.data, self.seat(seat), outcomes)
        return tuple([self.game.action(outcomes[i]) for i in range(n)])

    def set_private_outcome(self, seat, outcome):
        """Set which of the `private_outcomes` the seat has been shown: an Action, its text or its code.

        It is not part of the history: an `undo` of an earlier action forgets it.

        Raises BadText, or IllegalAction for an impossible outcome, leaving the position unchanged.
        """
        cdef int code = self._code(outcome)
        possible = self.private_outcomes(seat)
        if all(action.code != code for action in possible):
            says = ", ".join(action.text for action in possible) or "nothing"
            name = self.game.seat_name(seat)
            raise IllegalAction(f"{self.game.texts[code]}: not what {name} can have been shown; {says} can")
        self.game.set_private_outcome(self.data, self.seat(seat), <action_t> code)

    def clear_private_outcome(self, seat):
        """Forget what the seat has been shown, for a shared screen; return whether the position contained it.

        If the order of the affected cards is known, it is forgotten as well.

        Raises BadPosition for a seat that does not exist.
        """
        if self.private_outcomes(seat):
            return False
        self.game.clear_private_outcome(self.data, self.seat(seat))
        return bool(self.private_outcomes(seat))

    def foresees(self, seat):
        """Whether the seat has been shown the outcome of the pending chance event, entered or not.

        Raises BadPosition for a seat that does not exist.
        """
        return bool(self.game.foresees(self.data, self.seat(seat)))

    def determinize(self, seed):
        """Return a determinization: every unknown filled in, uniformly over the consistent possibilities.

        Args:
            seed: a number, or an Rng, which is advanced.
        """
        cdef State other = self.copy()
        self.game.ops.deal(other.data, &stream(seed).c)
        return other

    def key(self, seat=None):
        """Return the 64-bit hash of the seat's view, by default of the seat to decide (Nature: an onlooker)."""
        cdef int observer = max(self.turn, NATURE) if seat is None else self.seat(seat)
        return self.game.ops.key(self.data, observer)

    cdef int seat(self, object seat) except? NATURE:
        return self.game._seat(seat, self.seats)

    def win_shares(self):
        """Return the win share of each seat; they sum to 1. Raises NotOver before the end."""
        cdef double out[MAX_SEATS]
        self._require_end()
        self.game.ops.returns(self.data, out)
        return tuple(out[i] for i in range(self.seats))

    def current_scores(self):
        """Return the current score of each seat."""
        cdef double out[MAX_SEATS]
        self.game.ops.scores(self.data, out)
        return tuple(out[i] for i in range(self.seats))

    def final_scores(self):
        """Return the final score of each seat. Raises NotOver before the end."""
        self._require_end()
        return self.current_scores()

    def margins(self):
        """Return each seat's score minus the best other score, rounded to 9 decimals. Raises NotOver before the end."""
        cdef double scores[MAX_SEATS]
        cdef double out[MAX_SEATS]
        self._require_end()
        self.game.ops.scores(self.data, scores)
        margins_of(scores, self.seats, out)
        return tuple(round(out[i], 9) for i in range(self.seats))

    def _require_end(self):
        if not self.over:
            raise NotOver("the game is not over")

    def check(self):
        """Return the number of the first broken invariant of `Game.invariants`, 0 if all hold."""
        return self.game.check_bytes(self.to_bytes())

    def value(self):
        """Return the expected final score of each seat by the weights in use. Raises GameError without a guide."""
        cdef double out[MAX_SEATS]
        self._require_guide()
        cdef const double[::1] weights = self.game.hand_values["hand"]
        self.game.guide.evaluate(&weights[0] if len(weights) else NULL, self.data, out, NULL)
        return tuple(out[i] for i in range(self.seats))

    def weights(self):
        """Return the guide's weight of each legal action, in their order. Raises GameError without a guide."""
        cdef action_t legal[MAX_LEGAL]
        cdef float out[MAX_LEGAL]
        self._require_guide()
        cdef int i, n = 0 if self.turn < 0 else self.game.ops.legal(self.data, legal)
        self.game.guide.weigh(self.data, legal, n, out)
        return [out[i] for i in range(n)]

    def round_number(self):
        """Return the number of the current round. Raises GameError without a guide."""
        self._require_guide()
        return self.game.guide.round(self.data)

    def features(self, seat):
        """Return the guide's named features of a seat. Raises GameError without a guide."""
        cdef double out[MAX_FEATURES]
        self._require_guide()
        self.game.guide.feature(self.data, max(self.seat(seat), 0), out)
        return {self.game.guide.features[i].decode(): out[i] for i in range(self.game.guide.num_features)}

    def _require_guide(self):
        if self.game.guide == NULL:
            raise GameError(f"{self.game.name} has no guide")

    def to_bytes(self):
        """Return the position's memory: equal for equal positions."""
        return (<const char *> self.data)[:self.game.ops.state_size]

    def to_position(self):
        """Return the position as a dictionary for `json.dumps` and Game.from_position."""
        fields = {"rules_revision": self.game.rules_revision}
        if self.game.catalogue:
            fields["catalogue"] = self.game.catalogue
        fields[self.game.name] = self.game.layout.unpack(self.to_bytes())
        return fields

    def to_json(self, *, indent=None):
        """Return the position as JSON text, the form of a position file."""
        return json.dumps(self.to_position(), indent=indent)

    def __eq__(self, other):
        if not isinstance(other, State) or (<State> other).game is not self.game:
            return NotImplemented
        return memcmp(self.data, (<State> other).data, self.game.ops.state_size) == 0

    __hash__ = None

    def __str__(self):
        return self.game.show(self.game.layout.unpack(self.to_bytes()))

    def __repr__(self):
        return f"from_position({self.to_position()!r})"
