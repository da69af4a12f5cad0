# cython: language_level=3
"""From the claims to the first turn: lines, storming the castle, the conflict over the shared card."""
from libc.stdint cimport uint8_t, uint16_t, uint32_t

from clerestory.engine.core cimport NATURE
from clerestory.engine.duel.course cimport begin_turn
from clerestory.engine.duel.data.codes cimport *
from clerestory.engine.duel.data.state cimport *
from clerestory.engine.duel.data.tables cimport cards

cdef extern from *:
    """
    /* The lines as sets of places, in the order of their codes: rows, columns, the diagonal down, the one up. */
    static const unsigned short LINE[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
    static const unsigned char PLACES_OF[8][3] = {
        {0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
    """
    const uint16_t *LINE
    const uint8_t PLACES_OF[8][3]


# -- claims ----------------------------------------------------------------------------------------

cdef inline int line_of(unsigned int markers) noexcept nogil:
    """Return the line whose places are marked, LINES if there is none."""
    cdef int line = 0
    while line < LINES and LINE[line] != markers:
        line += 1
    return line


cdef inline int legal_claim(const Duel *s, uint16_t *out) noexcept nogil:
    """List lines with another orientation than the first player's, or the other diagonal."""
    cdef int line, n
    if s.actor == s.first:
        return list_run(LINES, CLAIM, out)
    line = line_of(s.players[s.first].markers)
    if line < 3:
        return list_run(5, CLAIM + 3, out)
    if line < 6:
        n = list_run(3, CLAIM, out)
        return n + list_run(2, CLAIM + 6, out + n)
    n = list_run(6, CLAIM, out)
    out[n] = <uint16_t> (CLAIM + 13 - line)
    return n + 1


cdef inline void play_claim(Duel *s, int a) noexcept nogil:
    s.players[s.actor].markers = LINE[a - CLAIM]
    if s.actor == s.first:
        ask(s, AT_CLAIM, 1 - s.first)
    else:
        open_window(s)


# -- storming the castle ---------------------------------------------------------------------------

cdef inline void open_window(Duel *s) noexcept nogil:
    """Ask the holder of the storming card, which has one copy, after both claims (D2, D22)."""
    if s.players[s.first].hand & cards.storming:
        ask(s, AT_STORM, s.first)
    elif s.players[1 - s.first].hand & cards.storming:
        ask(s, AT_STORM, 1 - s.first)
    else:
        begin_conflict(s)


cdef inline int legal_storm(const Duel *s, uint16_t *out) noexcept nogil:
    return list_two(PASS, CARDS + 2 * cards.card_of_once[lowest_bit(cards.storming)] + 1, out)


cdef inline void play_storm(Duel *s, int a) noexcept nogil:
    if a == PASS:
        begin_conflict(s)
        return
    s.players[s.actor].hand &= ~cards.storming
    ask(s, AT_TAKE_BACK, 1 - s.actor)


cdef inline int legal_take_back(const Duel *s, uint16_t *out) noexcept nogil:
    return list_set(s.players[s.actor].markers, TAKE_BACK, out)


cdef inline void play_take_back(Duel *s, int a) noexcept nogil:
    """Take back a marker. The conflict follows directly, unless no shared card is left (D22, D39)."""
    s.players[s.actor].markers &= <uint16_t> ~(1 << (a - TAKE_BACK))
    begin_conflict(s)


# -- conflict --------------------------------------------------------------------------------------

cdef inline unsigned int shared(const Duel *s) noexcept nogil:
    """Return the place that both players have marked, as a set; empty if there is none."""
    return s.players[0].markers & s.players[1].markers


cdef inline bint has_flipped(const Player *p) noexcept nogil:
    return p.flipped != 0 or p.personal_flipped


cdef inline int behind(const Duel *s) noexcept nogil:
    """Return the seat with the lower sum; at equal sums the first player before any flip, then the second."""
    cdef const Player *first = &s.players[s.first]
    cdef const Player *second = &s.players[1 - s.first]
    if first.sum != second.sum:
        return s.first if first.sum < second.sum else 1 - s.first
    return 1 - s.first if has_flipped(first) else s.first


cdef inline void begin_conflict(Duel *s) noexcept nogil:
    if shared(s):
        ask(s, AT_CONFLICT, s.first)
    else:
        begin_turn(s, s.first)


cdef inline int legal_conflict(const Duel *s, uint16_t *out) noexcept nogil:
    """List flips. The first player may stop at once (D3); the seat to decide still has its personal seal (D47)."""
    cdef int n = list_kinds(s.players[s.actor].seals, FLIP, out)
    out[n] = FLIP + PERSONAL
    out[n + 1] = STOP
    return n + 2


cdef inline void play_conflict(Duel *s, int a) noexcept nogil:
    cdef Player *p = &s.players[s.actor]
    cdef int kind = a - FLIP
    if a == STOP:
        lose_conflict(s, s.actor)
        return
    if kind == PERSONAL:
        p.personal_flipped = 1
    else:
        p.seals -= <uint16_t> (1 << 4 * kind)
        p.flipped = append(p.flipped, kind + 1)
    s.flipping = <uint8_t> (kind + 1)
    ask(s, AT_FLIP, NATURE)


cdef inline int flipper(const Duel *s) noexcept nogil:
    """Return the owner of the seal being flipped, which is in `flipped`, but whose face is not in the sum yet."""
    cdef const Player *second = &s.players[1 - s.first]
    if s.players[s.first].sum == second.sum:
        return 1 - s.first if has_flipped(second) else s.first
    return behind(s)


cdef inline void play_flip(Duel *s, int a) noexcept nogil:
    """Continue the conflict. A player behind who cannot flip has lost; the personal seal comes last (D21, D47)."""
    cdef int seat = flipper(s)
    s.players[seat].sum += <uint8_t> (a - FACE)
    s.flipping = 0
    seat = behind(s)
    if s.players[seat].personal_flipped:
        lose_conflict(s, seat)
    else:
        ask(s, AT_CONFLICT, seat)


cdef inline void lose_conflict(Duel *s, int seat) noexcept nogil:
    """End the conflict; the loser keeps one of the neutral seals flipped, if there are any (D23)."""
    s.players[seat].markers &= <uint16_t> ~shared(s)
    if s.players[seat].flipped:
        ask(s, AT_KEEP, seat)
    else:
        settle_seals(s)


cdef inline unsigned int kinds_in(uint32_t order) noexcept nogil:
    """Return the kinds in an order of seals, as a word of counts that are 0 or 1."""
    cdef unsigned int kinds = 0
    while order:
        kinds |= 1u << 4 * ((order & 3) - 1)
        order >>= 2
    return kinds


cdef inline int legal_keep(const Duel *s, uint16_t *out) noexcept nogil:
    return list_kinds(kinds_in(s.players[s.actor].flipped), KEEP, out)


cdef inline uint32_t without_first(uint32_t order, int kind) noexcept nogil:
    """Return the order without the first seal of a kind. Precondition: there is one."""
    cdef int place = 0
    while <int> (order >> 2 * place & 3) != kind + 1:
        place += 1
    return (order & (1u << 2 * place) - 1) | (order >> 2 * place + 2 << 2 * place)


cdef inline void play_keep(Duel *s, int a) noexcept nogil:
    """Keep a seal; of several of the kind, the one flipped first (D23)."""
    cdef Player *p = &s.players[s.actor]
    p.flipped = without_first(p.flipped, a - KEEP)
    p.seals += <uint16_t> (1 << 4 * (a - KEEP))
    settle_seals(s)


cdef inline void settle_seals(Duel *s) noexcept nogil:
    """Put the first player's seals under the stack, then the second's, in the order of flipping (D4)."""
    s.stack = append(s.stack, s.players[s.first].flipped)
    s.stack = append(s.stack, s.players[1 - s.first].flipped)
    clear_conflict(&s.players[0])
    clear_conflict(&s.players[1])
    begin_turn(s, s.first)


cdef inline void clear_conflict(Player *p) noexcept nogil:
    p.flipped = 0
    p.sum = p.personal_flipped = 0
