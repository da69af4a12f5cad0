# cython: language_level=3
"""Bots without a tree: they evaluate each action one or two decisions deep, or by playouts, averaged over worlds.

All actions of a decision are tried in the same worlds with the same luck (common random numbers), which reduces the
noise of their differences. Positions are evaluated by a value of the game.
"""
from libc.math cimport INFINITY
from libc.stdint cimport INT64_MAX, uint64_t
from libc.string cimport memcpy

from clerestory.engine.clock cimport monotonic
from clerestory.engine.core cimport (
    MAX_LEGAL, MAX_SEATS, MAX_WORDS, NATURE, OVER, GameOps, State, Value, action_t, margins_of,
)
from clerestory.engine.integers cimport whole
from clerestory.engine.rng cimport Rng, rng_below, rng_next, rng_seed, rng_t
from clerestory.engine.values.value cimport Valuation

from clerestory.engine.errors import BadWeights
from clerestory.engine.values.value import value_of
from clerestory.search.arena.errors import BadBot

cdef struct Lookahead:
    const GameOps *ops
    Value value                  # evaluates positions; unused by bots without a value
    uint64_t root[MAX_WORDS]     # the position, as the deciding seat sees it
    int seats
    int seat                     # the seat to decide
    rng_t rng

# Evaluates, for the seat, a world in which its action has just been played; may play the world on.
ctypedef double (*judge_t)(Lookahead *ahead, void *world) noexcept nogil


# -- evaluating one world --------------------------------------------------------------------------

cdef int settle(Lookahead *ahead, void *world) noexcept nogil:
    """Play chance events until a seat is to decide or the game is over; return the turn."""
    cdef int turn = ahead.ops.turn(world)
    while turn == NATURE:
        ahead.ops.play(world, ahead.ops.draw(world, &ahead.rng))
        turn = ahead.ops.turn(world)
    return turn


cdef double lead(Lookahead *ahead, const void *world, int seat) noexcept nogil:
    """Return the expected score of the seat minus the best of the others."""
    cdef double score[MAX_SEATS]
    cdef double share[MAX_SEATS]
    cdef double margin[MAX_SEATS]
    ahead.value.evaluate(ahead.value.weights, world, score, share)
    margins_of(score, ahead.seats, margin)
    return margin[seat]


cdef action_t best_reply(Lookahead *ahead, const void *world, int seat) noexcept nogil:
    """Return the action with the best lead right after it, before any luck; the lowest code wins ties."""
    cdef uint64_t after[MAX_WORDS]
    cdef action_t legal[MAX_LEGAL]
    cdef int i, best = 0, n = ahead.ops.legal(world, legal)
    cdef double score, best_score = -INFINITY
    for i in range(n):
        memcpy(after, world, ahead.ops.state_size)
        ahead.ops.play(after, legal[i])
        score = lead(ahead, after, seat)
        if score > best_score:
            best = i
            best_score = score
    return legal[best]


cdef double at_once(Lookahead *ahead, void *world) noexcept nogil:
    """Return the lead at the next decision."""
    settle(ahead, world)
    return lead(ahead, world, ahead.seat)


cdef double after_reply(Lookahead *ahead, void *world) noexcept nogil:
    """Return the lead after the seat's own further decisions, each greedy, and one best reply of the next seat."""
    cdef int turn = settle(ahead, world)
    while turn == ahead.seat:
        ahead.ops.play(world, best_reply(ahead, world, turn))
        turn = settle(ahead, world)
    if turn != OVER:
        ahead.ops.play(world, best_reply(ahead, world, turn))
        settle(ahead, world)
    return lead(ahead, world, ahead.seat)


cdef double at_the_end(Lookahead *ahead, void *world) noexcept nogil:
    """Return the win share after a uniformly random playout."""
    cdef action_t legal[MAX_LEGAL]
    cdef double share[MAX_SEATS]
    while settle(ahead, world) != OVER:
        ahead.ops.play(world, legal[rng_below(&ahead.rng, ahead.ops.legal(world, legal))])
    ahead.ops.returns(world, share)
    return share[ahead.seat]


cdef double after_greedy_play(Lookahead *ahead, void *world) noexcept nogil:
    """Return the margin at the end when every seat continues greedily."""
    cdef double score[MAX_SEATS]
    cdef double margin[MAX_SEATS]
    cdef int turn = settle(ahead, world)
    while turn != OVER:
        ahead.ops.play(world, best_reply(ahead, world, turn))
        turn = settle(ahead, world)
    ahead.ops.scores(world, score)
    margins_of(score, ahead.seats, margin)
    return margin[ahead.seat]


# -- all actions in many worlds --------------------------------------------------------------------

cdef void judge_world(Lookahead *ahead, judge_t judge, double *total) noexcept nogil:
    """Deal a world and add the value of each action in it to the totals, in legal order."""
    cdef uint64_t world[MAX_WORDS]
    cdef uint64_t after[MAX_WORDS]
    cdef action_t legal[MAX_LEGAL]
    cdef rng_t stream
    cdef uint64_t luck = rng_next(&ahead.rng)
    cdef int i, n
    memcpy(world, ahead.root, ahead.ops.state_size)
    ahead.ops.deal(world, &ahead.rng)
    n = ahead.ops.legal(world, legal)
    stream = ahead.rng
    for i in range(n):
        memcpy(after, world, ahead.ops.state_size)
        ahead.ops.play(after, legal[i])
        rng_seed(&ahead.rng, luck)
        total[i] += judge(ahead, after)
    ahead.rng = stream


cdef uint64_t judge_worlds(
    Lookahead *ahead, judge_t judge, uint64_t worlds, double deadline, double *total
) noexcept nogil:
    """Evaluate at least one world, up to the given number or until the deadline; return the number evaluated."""
    cdef uint64_t done = 0
    while done == 0 or (done < worlds and monotonic() < deadline):
        judge_world(ahead, judge, total)
        done += 1
    return done


cdef judge_t judge_of(str bot, bint guided) except NULL:
    if bot == "flat-mc":
        return at_the_end
    if not guided:
        raise BadBot(f"{bot}: needs a guide, which the game does not have")
    if bot == "rollouts":
        return after_greedy_play
    return after_reply if bot == "expectimax" else at_once


cdef Valuation valuation_of(str bot, object game, str name):
    """Return a value of a game. Raises BadBot."""
    try:
        return value_of(game, name)
    except BadWeights as error:
        raise BadBot(f"{bot}: value: {error}") from None


def judge_actions(
    str bot not None, State view not None, seed, *, worlds, double deadline=INFINITY, str value="hand"
):
    """Return the mean value of each legal action to the deciding seat, in legal order, and the number of worlds.

    Args:
        bot: `greedy` (lead at the next decision), `expectimax` (lead after a reply) or `flat-mc` (win share).
        view: a position in which a seat decides, as that seat knows it.
        seed: 0 to 2**64 - 1.
        worlds: maximum number of determinizations; at least one is evaluated.
        deadline: time, as read from time.monotonic, after which no world is started.
        value: name of the value that evaluates positions, for `value_of`; unused by `flat-mc`.

    Raises BadBot if the bot needs a guide and the game has none, or for an invalid value; ValueError for an invalid
    seed or number of worlds.
    """
    cdef double total[MAX_LEGAL]
    cdef Lookahead ahead
    cdef Rng rng = Rng(seed)
    cdef judge_t judge = judge_of(bot, view.game.guide != NULL)
    cdef int i
    cdef uint64_t judged = whole("worlds", worlds, 0, INT64_MAX)
    cdef Valuation valuation
    ahead.ops = view.game.ops
    if judge != at_the_end:
        valuation = valuation_of(bot, view.game, value)
        ahead.value = valuation.c
    ahead.seats, ahead.seat, ahead.rng = view.seats, view.turn, rng.c
    memcpy(ahead.root, view.data, sizeof(ahead.root))
    for i in range(MAX_LEGAL):
        total[i] = 0
    with nogil:
        judged = judge_worlds(&ahead, judge, judged, deadline, total)
    return [total[i] / judged for i in range(len(view.legal_codes()))], judged
