# cython: language_level=3
from libc.stdint cimport uint32_t
from libc.string cimport memset

from clerestory.engine.core cimport MAX_LEGAL
from clerestory.search.memory.tree cimport (
    FREE, MOST_RECORDS, RECORD, Edge, Record, head_at, record_at, record_bytes, room_of, set_row, take_memory,
)

cdef extern from "sharing.h":
    uint32_t add_count(uint32_t *counter, uint32_t n) noexcept nogil

cdef enum:
    PIECE = 256                  # slots taken from the tree at once
    FEW_RECORDS = 16             # likewise
    MANY_PLACES = 1 << 16        # of a table in which a thread takes four times as much
    FEW_NODES = 64               # created before they are counted in such a table


cdef inline int times(const Tree *tree) noexcept nogil:
    """Return how much more a thread takes from a large tree, so that threads do not wait for its counters."""
    return 4 if tree.mask >= MANY_PLACES else 1


cdef inline void settle(const Tree *tree, Room *room) noexcept nogil:
    """Forget memory that was taken before the tree was cleared or compacted."""
    if room.cleared != tree.cleared:
        memset(room, 0, sizeof(Room))
        room.cleared = tree.cleared


# -- rows ------------------------------------------------------------------------------------------

cdef uint32_t take_row(Tree *tree, Room *room, int edges) noexcept nogil:
    """Return the first of `edges` adjacent edges, whose head the caller has to fill in; 0 without memory."""
    cdef uint32_t head
    settle(tree, room)
    head = room.rows[edges] if edges <= MAX_LEGAL else 0
    if head:
        room.rows[edges] = head_at(tree, head).next
        return head + 1
    if not fits(tree, room.current, edges) and not refill(tree, room, edges):
        room.short = True
        return 0
    return cut(tree, room, edges)


cdef inline bint fits(const Tree *tree, uint32_t head, int edges) noexcept nogil:
    return head != 0 and room_of(tree, head) >= edges


cdef uint32_t cut(Tree *tree, Room *room, int edges) noexcept nogil:
    """Return the first edge of a row cut from the current one; the rest stays the current one."""
    cdef uint32_t head = room.current
    cdef int left = room_of(tree, head) - edges - 1
    set_row(tree, head, FREE, edges)
    room.current = 0
    if left >= 0:
        room.current = head + 1 + edges
        set_row(tree, room.current, FREE, left)
    return head + 1


cdef bint refill(Tree *tree, Room *room, int edges) noexcept nogil:
    """Make another row of at least `edges` edges the current one; False without memory."""
    cdef uint32_t was[2]
    cdef int slots = max(PIECE * times(tree), edges + 1)
    if room.current:
        free_row(tree, room, room.current)
        room.current = 0
    if not take_memory(tree, slots, 0, was):
        slots = edges + 1
        if not take_memory(tree, slots, 0, was):
            return take_longer(tree, room, edges)
    room.current = was[0]
    set_row(tree, room.current, FREE, slots - 1)
    return True


cdef bint take_longer(Tree *tree, Room *room, int edges) noexcept nogil:
    """Make the shortest free row of at least `edges` edges the current one; False if there is none."""
    cdef int length
    for length in range(edges, MAX_LEGAL + 1):
        if room.rows[length]:
            room.current = room.rows[length]
            room.rows[length] = head_at(tree, room.current).next
            return True
    return False


cdef void free_row(Tree *tree, Room *room, uint32_t head) noexcept nogil:
    """Put a row into its list; divide rows that are longer than any node's."""
    cdef int edges = room_of(tree, head)
    while edges > MAX_LEGAL:
        list_row(tree, room, head + edges - MAX_LEGAL, MAX_LEGAL)
        edges -= MAX_LEGAL + 1
    list_row(tree, room, head, edges)


cdef inline void list_row(Tree *tree, Room *room, uint32_t head, int edges) noexcept nogil:
    set_row(tree, head, FREE, edges)
    head_at(tree, head).next = room.rows[edges]
    room.rows[edges] = head


cdef void free_left(Tree *tree, Room *room) noexcept nogil:
    """Free the rows that their nodes have left, once the iteration that may have used them has ended."""
    cdef uint32_t head
    while room.left:
        head = room.left
        room.left = head_at(tree, head).next
        free_row(tree, room, head)


# -- records ---------------------------------------------------------------------------------------

cdef uint32_t take_record(Tree *tree, Room *room) noexcept nogil:
    """Return the place of a new record, all zeros; 0 without memory."""
    cdef uint32_t record
    if not has_record(tree, room):
        return 0
    if room.records:
        record = room.records
        room.records = (<uint32_t *> record_at(tree, record))[0]
    else:
        record = room.next_record
        room.next_record += 1
    memset(record_at(tree, record), 0, record_bytes(tree))
    return record


cdef uint32_t with_record(Tree *tree, Room *room, Edge *edge, uint32_t state, uint32_t recorded) noexcept nogil:
    """Return the state of an edge, with a new record if its next visit needs one and there is memory.

    No other thread can change the edge meanwhile.

    Args:
        recorded: the visit from which on the edge has a record; 1 at the root, for which a full tree makes room.
    """
    cdef uint32_t place
    cdef Record *record
    if state & RECORD or edge.visits + 1 < recorded:
        return state
    place = take_record(tree, room)
    if place == 0:
        room.unrecorded |= recorded == 1
        room.short |= room.unrecorded
        return state
    record = record_at(tree, place)
    record.win = edge.win
    record.margin = record.early = edge.margin
    record.missing, record.before = state & MOST_RECORDS, edge.visits
    return state & ~(<uint32_t> MOST_RECORDS) | RECORD | place


cdef bint has_record(Tree *tree, Room *room) noexcept nogil:
    """Whether the thread has a record or can take one now."""
    cdef uint32_t was[2]
    cdef int records = FEW_RECORDS * times(tree)
    settle(tree, room)
    if room.records or room.next_record != room.end_record:
        return True
    if not take_memory(tree, 0, records, was):
        records = 1
        if not take_memory(tree, 0, records, was):
            return False
    room.next_record = was[1]
    room.end_record = was[1] + records
    return True


cdef void free_record(Tree *tree, Room *room, uint32_t record) noexcept nogil:
    (<uint32_t *> record_at(tree, record))[0] = room.records
    room.records = record


# -- nodes -----------------------------------------------------------------------------------------

cdef void count_node(Tree *tree, Room *room) noexcept nogil:
    """Count a new node, in batches where the batch makes no difference to the table."""
    room.nodes += 1
    if room.nodes == FEW_NODES or tree.mask < MANY_PLACES:
        count_nodes(tree, room)


cdef void count_nodes(Tree *tree, Room *room) noexcept nogil:
    """Count all new nodes."""
    settle(tree, room)
    add_count(&tree.num_nodes, room.nodes)
    room.nodes = 0
