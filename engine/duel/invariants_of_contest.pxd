# cython: language_level=3
"""Invariants of claims and the conflict. Fields are already in range."""
from libc.stdint cimport uint32_t

from clerestory.engine.duel.contest cimport LINE, behind, flipper, has_flipped, line_of
from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.invariants_of_cards cimport was_stormed


# -- markers ---------------------------------------------------------------------------------------

cdef inline bint allowed_reply(int first, int second) noexcept nogil:
    """Whether the line has another orientation, or is the other diagonal."""
    return first // 3 != second // 3 or (first >= 6 and first != second)


cdef inline bint markers_from(const Duel *s, int first, int second) noexcept nogil:
    """Whether the markers can remain from two lines after storming and the conflict.

    Storming takes at most one marker. The conflict, or the storming, takes one of the two on the shared place: the
    conflict takes that of its loser, who is asked which seal to keep.
    """
    cdef unsigned int mine = s.players[s.first].markers, theirs = s.players[1 - s.first].markers
    cdef unsigned int shared = LINE[first] & LINE[second]
    cdef int lost = popcount(LINE[first] & ~mine) + popcount(LINE[second] & ~theirs)
    cdef int stormed = was_stormed(s)
    if mine & ~LINE[first] or theirs & ~LINE[second]:
        return False
    if s.step <= AT_TAKE_BACK:
        return lost == 0
    if s.step <= AT_FLIP:
        return lost <= stormed and mine & theirs
    if s.step == AT_KEEP and s.actor >= 0 and s.players[s.actor].markers & shared:
        return False
    return lost <= 1 + stormed and (mine & shared != 0) != (theirs & shared != 0)


cdef inline bint markers_fit(const Duel *s) noexcept nogil:
    cdef unsigned int mine = s.players[s.first].markers, theirs = s.players[1 - s.first].markers
    cdef int first, second
    if s.step == AT_DEAL or s.step == AT_OVER:
        return not mine and not theirs
    if s.step == AT_CLAIM:
        return not theirs and (line_of(mine) < LINES if s.actor != s.first else not mine)
    for first in range(LINES):
        for second in range(LINES):
            if allowed_reply(first, second) and markers_from(s, first, second):
                return True
    return False


# -- conflict --------------------------------------------------------------------------------------

cdef inline bint sum_fits(const Player *p, int in_air) noexcept nogil:
    """Whether a sum is possible for the flipped seals, with faces k or 5 - k, without the one in the air (seal + 1)."""
    cdef uint32_t order = p.flipped
    cdef int low = 2 * p.personal_flipped, count = p.personal_flipped
    while order:
        low += (order & 3) - 1
        count += 1
        order >>= 2
    if in_air:
        low -= min(in_air - 1, 2)
        count -= 1
    return low <= p.sum <= 5 * count - low


cdef inline bint air_fits(const Duel *s) noexcept nogil:
    """The seal in the air is its player's last flipped one; it is the personal one exactly if that is flipped."""
    cdef const Player *p = &s.players[flipper(s)]
    if s.flipping == PERSONAL + 1:
        return p.personal_flipped
    return not p.personal_flipped and p.flipped and p.flipped >> 2 * (length(p.flipped) - 1) == s.flipping


cdef inline bint conflict_fits(const Duel *s) noexcept nogil:
    cdef const Player *first = &s.players[s.first]
    cdef const Player *second = &s.players[1 - s.first]
    if (s.flipping != 0) != (s.step == AT_FLIP):
        return False
    if not AT_CONFLICT <= s.step <= AT_KEEP:
        return not has_flipped(first) and not has_flipped(second) and not first.sum and not second.sum
    if has_flipped(second) and not has_flipped(first):
        return False
    if s.step == AT_FLIP and not air_fits(s):
        return False
    return sum_fits(first, s.flipping if s.step == AT_FLIP and flipper(s) == s.first else 0) and sum_fits(
        second, s.flipping if s.step == AT_FLIP and flipper(s) != s.first else 0
    )


cdef inline bint asked_in_conflict(const Duel *s) noexcept nogil:
    """Whether the actor is the seat that is behind and can flip, or that has lost and has a seal to keep."""
    cdef const Player *p = &s.players[s.actor]
    if s.actor != behind(s):
        return False
    return p.flipped != 0 if s.step == AT_KEEP else not p.personal_flipped
