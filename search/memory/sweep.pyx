# cython: language_level=3
"""Sweeps of a full tree.

A hand moves round the rows in memory order and removes nodes with few visits until there is room for some thousand new
ones. New nodes lie behind the hand, so each has a whole round to be visited again. If a round frees little, the next
one also removes nodes with more visits. (Powley, Cowling, Whitehouse 2017, AIIDE, recycle the least recently used
nodes.)

Nothing else may use the tree meanwhile.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t

from clerestory.engine.core cimport MAX_LEGAL
from clerestory.search.memory.compaction cimport tree_compact
from clerestory.search.memory.room cimport Room, count_nodes, free_record, free_row, has_record
from clerestory.search.memory.tree cimport (
    FREE, LEFT, LINK, NO_NODE, Tree, head_at, key_at, key_in, kind_of, mark_of, node_t, place_in, room_of, row_at, set_row,
    span_t, tree_find, visits_to,
)

cdef enum:
    ENOUGH = 1 << 14             # slots freed by one sweep, at most; about a millisecond's work
    ENOUGH_OF = 16               # fraction of all slots that is enough for all threads in a small tree
    EXPECTED_OF = 8              # fraction of all slots that a round should free
    FAR = 1 << 17                # slots passed by one sweep, at most

cdef struct FreeRun:               # adjacent rows that become one
    uint32_t head                # 0: none
    int edges


cdef void relieve(Tree *tree, Room *room, uint64_t root, int threads) noexcept nogil:
    """Free some rows for one of several threads; compact the tree if an edge of the root needs a record."""
    cdef uint32_t enough = min(tree.num_slots // (ENOUGH_OF * threads), <uint32_t> ENOUGH)
    count_nodes(tree, room)
    room.short = False
    sweep(tree, room, root, enough)
    if room.unrecorded and not has_record(tree, room):
        tree_compact(tree, root)
    room.unrecorded = False
    tree.full = True


cdef void sweep(Tree *tree, Room *room, uint64_t root, uint32_t enough) noexcept nogil:
    """Continue from the end of the last sweep, until enough is freed or the hand has come far."""
    cdef uint32_t freed = 0, passed = 0, slots
    cdef FreeRun run = FreeRun(0, 0)
    while freed <= enough and passed <= min(tree.num_slots, <uint32_t> FAR):
        if tree.hand >= tree.num_slots:
            release_run(tree, room, &run)
            end_round(tree)
        slots = 1 + room_of(tree, tree.hand)
        if give_up(tree, room, root, tree.hand):
            extend_run(tree, room, &run, tree.hand, slots)
            freed += slots
            tree.freed += slots
        tree.hand += slots
        passed += slots
    release_run(tree, room, &run)


cdef void end_round(Tree *tree) noexcept nogil:
    """Restart at the first row. If the round freed little, raise the visits of removable nodes by half."""
    if tree.freed < tree.num_slots // EXPECTED_OF and tree.least < NO_NODE // 2:
        tree.least += (tree.least + 1) // 2
    tree.freed = 0
    tree.hand = 1


cdef void extend_run(Tree *tree, Room *room, FreeRun *run, uint32_t head, int slots) noexcept nogil:
    """Add a row to the adjacent ones before it, up to the maximum length of a row."""
    if run.head and run.head + 1 + run.edges == head and run.edges + slots <= MAX_LEGAL:
        run.edges += slots
        return
    release_run(tree, room, run)
    run.head = head
    run.edges = slots - 1


cdef void release_run(Tree *tree, Room *room, FreeRun *run) noexcept nogil:
    if run.head:
        set_row(tree, run.head, FREE, run.edges)
        free_row(tree, room, run.head)
        run.head = 0


# -- one row ---------------------------------------------------------------------------------------

cdef bint give_up(Tree *tree, Room *room, uint64_t root, uint32_t slot) noexcept nogil:
    """Remove a row or link from the tree if nothing needs it; return whether it was removed."""
    cdef int kind = kind_of(tree, slot)
    cdef uint64_t key = key_in(head_at(tree, slot).key)
    if kind == FREE:
        return False
    if kind == LEFT:
        return True
    if kind == LINK:
        return is_loose(tree, key, key_in(head_at(tree, slot).parent))
    if key == root or visits_to(tree, span_t(slot + 1, room_of(tree, slot))) > tree.least:
        return False
    return drop(tree, room, tree_find(tree, key))


cdef bint is_loose(Tree *tree, uint64_t key, uint64_t parent) noexcept nogil:
    """Whether a node that a link joins is gone; if it is the parent, a later visit adds the link again."""
    cdef uint32_t node = tree_find(tree, key)
    if node == NO_NODE:
        return True
    if parent == 0 or tree_find(tree, parent) != NO_NODE:
        return False
    tree.nodes[node].marks &= <uint16_t> ~mark_of(parent)
    return True


cdef bint drop(Tree *tree, Room *room, uint32_t place) noexcept nogil:
    """Remove a node, and free the records of its edges."""
    cdef span_t row = row_at(tree, place)
    cdef uint32_t edge
    for edge in range(row.first, row.first + row.count):
        if place_in(tree.edges[edge].state):
            free_record(tree, room, place_in(tree.edges[edge].state))
    tree.given_up = max(tree.given_up, <uint64_t> visits_to(tree, row))
    tree.num_nodes -= 1
    strike(tree, place)
    return True


cdef void strike(Tree *tree, uint32_t place) noexcept nogil:
    """Free a place in the table, and move later entries that would not be found any longer (Knuth, TAOCP 3, 6.4 R)."""
    cdef uint32_t next = place, home
    while True:
        next = (next + 1) & tree.mask
        if tree.nodes[next].first == 0:
            break
        home = <uint32_t> key_at(tree, tree.nodes[next].first) & tree.mask
        if (next - home & tree.mask) >= (next - place & tree.mask):
            tree.nodes[place] = tree.nodes[next]
            place = next
    tree.nodes[place] = node_t(0, 0, 0)
