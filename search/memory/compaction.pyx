# cython: language_level=3
"""Compacts a tree in place: marks the nodes reachable from the new root and moves them together.

The head of a row names the first parent of its node. Links name further parents: those that
reached the node later by another order of actions.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memmove, memset

from clerestory.engine.core cimport action_t
from clerestory.search.memory.tree cimport (
    FREE, KEPT, LEFT, LINK, NO_NODE, RECORD, Edge, Head, Tree, bytes_of, head_at, key_in, kind_of, mark_of, missing_of,
    node_t, place_in, place_of, record_at, record_bytes, room_of, row_at, set_row, span_t, tag_of, tree_clear, tree_find,
    tree_reset, visits_to,
)

cdef enum:
    CLASSES = 33                 # of nodes by visits: 0, 1, 2 to 3, 4 to 7, ...

cdef double SECONDS_A_NODE = 1e-6   # highest measured, on a busy machine; a third is usual


cdef double compaction_seconds(const Tree *tree) noexcept nogil:
    """Return an upper estimate of the seconds that a compaction takes."""
    return SECONDS_A_NODE * tree.num_nodes


cdef bint tree_compact(Tree *tree, uint64_t root) noexcept nogil:
    """Keep the nodes reachable from the root, most visited first, in at most half of the memory; drop the rest.

    The few links between kept nodes are extra. Kept nodes are bit-identical; the root is always kept. If the tree does
    not contain the root, everything is dropped. Returns False, changing nothing, without memory for the work.
    """
    cdef uint32_t *owners
    cdef uint32_t *children
    cdef uint32_t place = tree_find(tree, root)
    if place == NO_NODE:
        tree_clear(tree)
        return True
    owners = <uint32_t *> calloc(tree.num_records, sizeof(uint32_t))
    children = <uint32_t *> calloc(tree.mask + 1, 2 * sizeof(uint32_t))
    if owners != NULL and children != NULL:
        mark(tree, children, children + tree.mask + 1, place)
        keep_within(tree, place, fewest_visits(tree))
        free_others(tree)
        move_rows(tree, owners)
        move_records(tree, owners)
        list_nodes(tree)
        tree_reset(tree)
    free(owners)
    free(children)
    return owners != NULL and children != NULL


cdef inline uint32_t after(const Tree *tree, uint32_t slot) noexcept nogil:
    """Return the head after this one."""
    return slot + 1 + room_of(tree, slot)


# -- selecting nodes -------------------------------------------------------------------------------

cdef void mark(Tree *tree, uint32_t *children, uint32_t *later, uint32_t root) noexcept nogil:
    """Mark the root and every node that has a row or a link whose parent is marked.

    Args:
        children, later: memory for a number by place of the table.
    """
    cdef uint32_t child, node, waiting = root + 1  # place of the next node to visit, plus 1; `later` lists the others
    list_children(tree, children)
    tree.nodes[root].marks |= KEPT
    while waiting:
        node = waiting - 1
        waiting = later[node]
        child = children[node]
        while child:
            node = tree_find(tree, key_in(head_at(tree, child).key))
            if not tree.nodes[node].marks & KEPT:
                tree.nodes[node].marks |= KEPT
                later[node] = waiting
                waiting = node + 1
            child = head_at(tree, child).next


cdef void list_children(Tree *tree, uint32_t *children) noexcept nogil:
    """List the rows and links of each parent, indexed by the parent's place in the table."""
    cdef uint32_t slot = 1, parent
    cdef Head *head
    while slot < tree.num_slots:
        head = head_at(tree, slot)
        if is_joined(tree, slot) and tree_find(tree, key_in(head.key)) != NO_NODE:
            parent = tree_find(tree, key_in(head.parent))
            if parent != NO_NODE:
                head.next = children[parent]
                children[parent] = slot
        slot = after(tree, slot)


cdef inline bint is_joined(const Tree *tree, uint32_t slot) noexcept nogil:
    """Whether this is the row of a node, or a link."""
    return kind_of(tree, slot) != FREE and kind_of(tree, slot) != LEFT


cdef inline bint is_kept(const Tree *tree, uint32_t place) noexcept nogil:
    return place != NO_NODE and tree.nodes[place].marks & KEPT


cdef inline bint has_kept_node(const Tree *tree, uint32_t slot) noexcept nogil:
    """Whether this is the row of a marked node."""
    if not is_joined(tree, slot) or kind_of(tree, slot) == LINK:
        return False
    return is_kept(tree, tree_find(tree, key_in(head_at(tree, slot).key)))


cdef inline span_t row_behind(const Tree *tree, uint32_t slot) noexcept nogil:
    """Return the row of a head."""
    return span_t(slot + 1, room_of(tree, slot))


cdef inline bint links(const Tree *tree, uint32_t slot) noexcept nogil:
    """Whether this is a link from one marked node to another."""
    cdef uint64_t key = key_in(head_at(tree, slot).key), parent = key_in(head_at(tree, slot).parent)
    if kind_of(tree, slot) != LINK:
        return False
    return is_kept(tree, tree_find(tree, key)) and is_kept(tree, tree_find(tree, parent))


cdef int class_of(const Tree *tree, span_t row) noexcept nogil:
    """Return the class of a row's node: the bit length of its visits."""
    cdef uint32_t e, least = NO_NODE, visits
    cdef int bits = 0
    for e in range(row.first, row.first + row.count):
        least = min(least, missing_of(tree, &tree.edges[e]))
    visits = visits_to(tree, row) - least
    while visits:
        visits >>= 1
        bits += 1
    return bits


cdef int records_of(const Tree *tree, span_t row) noexcept nogil:
    """Return how many of a row's edges have a record."""
    cdef uint32_t e
    cdef int records = 0
    for e in range(row.first, row.first + row.count):
        records += place_in(tree.edges[e].state) != 0
    return records


cdef int fewest_visits(const Tree *tree) noexcept nogil:
    """Return the lowest class such that the nodes of it and all higher classes fit into half of the memory."""
    cdef uint64_t slots[CLASSES]
    cdef uint64_t records[CLASSES]
    cdef uint64_t kept_slots = 1, kept_records = 1
    cdef uint32_t slot = 1
    cdef span_t row
    cdef int bits
    memset(slots, 0, sizeof(slots))
    memset(records, 0, sizeof(records))
    while slot < tree.num_slots:
        if has_kept_node(tree, slot):
            row = row_behind(tree, slot)
            bits = class_of(tree, row)
            slots[bits] += 1 + row.count
            records[bits] += records_of(tree, row)
        slot = after(tree, slot)
    for bits in range(CLASSES - 1, -1, -1):
        kept_slots += slots[bits]
        kept_records += records[bits]
        if bytes_of(tree, kept_slots, kept_records) > tree.max_bytes // 2:
            return bits + 1
    return 0


cdef void keep_within(Tree *tree, uint32_t root, int fewest) noexcept nogil:
    """Unmark the nodes of lower classes, except the root."""
    cdef uint32_t place
    if fewest == 0:
        return
    for place in range(tree.mask + 1):
        if tree.nodes[place].marks & KEPT and place != root and class_of(tree, row_at(tree, place)) < fewest:
            tree.nodes[place].marks &= <uint16_t> ~KEPT


cdef void free_others(Tree *tree) noexcept nogil:
    """Free the rows and links that are not kept, as their nodes cannot be found once rows have moved."""
    cdef uint32_t slot = 1
    while slot < tree.num_slots:
        if not has_kept_node(tree, slot) and not links(tree, slot):
            set_row(tree, slot, FREE, room_of(tree, slot))
        slot = after(tree, slot)


# -- moving ----------------------------------------------------------------------------------------

cdef void move_rows(Tree *tree, uint32_t *owners) noexcept nogil:
    """Move the rows that are not free down, in order, and store the owner of each record, which is its edge."""
    cdef uint32_t slot = 1, to = 1, beyond
    cdef int edges
    while slot < tree.num_slots:
        beyond = after(tree, slot)
        if kind_of(tree, slot) != FREE:
            edges = room_of(tree, slot)
            move_row(tree, slot, to, edges, owners)
            to += 1 + edges
        slot = beyond
    tree.num_slots = to


cdef void move_row(Tree *tree, uint32_t slot, uint32_t to, int edges, uint32_t *owners) noexcept nogil:
    """Move a head and its edges down, and store the owners of their records."""
    cdef uint32_t e
    memmove(&tree.edges[to], &tree.edges[slot], (1 + edges) * sizeof(Edge))
    memmove(&tree.actions[to], &tree.actions[slot], (1 + edges) * sizeof(action_t))
    for e in range(to + 1, to + 1 + edges):
        owners[place_in(tree.edges[e].state)] = e


cdef void move_records(Tree *tree, const uint32_t *owners) noexcept nogil:
    """Move the records that have an owner down, in order; the record at place 0 has none."""
    cdef uint32_t i, records = 1
    for i in range(1, tree.num_records):
        if owners[i]:
            memmove(record_at(tree, records), record_at(tree, i), record_bytes(tree))
            tree.edges[owners[i]].state = RECORD | records
            records += 1
    tree.num_records = records


cdef void list_nodes(Tree *tree) noexcept nogil:
    """Rebuild the table of nodes from their rows, then mark their parents."""
    cdef uint32_t slot = 1
    cdef uint64_t key
    memset(tree.nodes, 0, (tree.mask + 1) * sizeof(node_t))
    tree.num_nodes = 0
    while slot < tree.num_slots:
        key = key_in(head_at(tree, slot).key)
        if kind_of(tree, slot) != LINK:
            tree.nodes[place_of(tree, key)] = node_t(slot + 1, tag_of(key), 0)
            tree.num_nodes += 1
        slot = after(tree, slot)
    slot = 1
    while slot < tree.num_slots:
        key = key_in(head_at(tree, slot).key)
        tree.nodes[tree_find(tree, key)].marks |= mark_of(key_in(head_at(tree, slot).parent))
        slot = after(tree, slot)
