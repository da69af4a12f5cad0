# cython: language_level=3
"""Compaction of a tree in place: mark the nodes that can be reached from the new root, and move them together.

A row of edges names the parent from which its node was first reached, and rows are in the order of their creation, so
one pass finds everything that was first reached through the root, parents first. Links name further parents, from which
a node was reached later by another order of actions. The node's rows may precede the link, which takes another pass.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memmove, memset

from clerestory.engine.core cimport action_t
from clerestory.search.tree cimport (
    KEPT, LINK, NO_NODE, Edge, Node, Row, Tree, mark_of, place_of, record_numbers, span_t, tree_clear, tree_find,
    visits_to,
)

cdef enum:
    CLASSES = 33                 # of nodes by visits: 0, 1, 2 to 3, 4 to 7, ...
    MOST_PASSES = 8

cdef double SECONDS_A_ROW = 0.3e-6  # the highest measured, on a busy machine; a third of it is usual

cdef struct Way:                 # a row's two ends, places in the table of nodes
    uint32_t node
    uint32_t parent              # NO_NODE: none, or it was forgotten


cdef double compaction_seconds(const Tree *tree) noexcept nogil:
    """Return an upper estimate of the seconds that a compaction takes."""
    return SECONDS_A_ROW * tree.num_rows


cdef bint tree_compact(Tree *tree, uint64_t root) noexcept nogil:
    """Keep the nodes reached from the root, the most visited first, in at most half of the memory; drop the rest.

    Kept nodes are bit-identical; the root is always kept. Everything is dropped if the tree does not contain the root.
    Returns False, and changes nothing, if there is no memory for the work.
    """
    cdef uint32_t *owners
    cdef Way *ways
    cdef uint32_t place = tree_find(tree, root)
    if place == NO_NODE:
        tree_clear(tree)
        return True
    owners = <uint32_t *> calloc(tree.num_records, sizeof(uint32_t))
    ways = <Way *> calloc(tree.num_rows, sizeof(Way))
    if owners != NULL and ways != NULL:
        mark(tree, ways, place)
        keep_within(tree, ways, place, fewest_visits(tree, ways))
        move_rows(tree, ways, owners)
        move_records(tree, owners)
        list_nodes(tree)
        tree.cleared += 1
        tree.full = False
    free(owners)
    free(ways)
    return owners != NULL and ways != NULL


cdef void mark(Tree *tree, Way *ways, uint32_t root) noexcept nogil:
    """Mark the root and every node that has a row whose parent is marked, in as many passes as links require."""
    cdef uint32_t i
    cdef int passes = 0
    for i in range(tree.num_rows):
        ways[i] = Way(tree_find(tree, tree.rows[i].key), tree_find(tree, tree.rows[i].parent))
    tree.nodes[root].marks |= KEPT
    while mark_once(tree, ways) and passes < MOST_PASSES:
        passes += 1


cdef bint mark_once(Tree *tree, const Way *ways) noexcept nogil:
    """Mark in one pass; return whether a link marked a node, whose own rows the pass may already have skipped."""
    cdef bint late = False
    cdef Node *node
    cdef uint32_t i
    for i in range(tree.num_rows):
        node = &tree.nodes[ways[i].node]
        if not node.marks & KEPT and is_kept(tree, ways[i].parent):
            node.marks |= KEPT
            late |= tree.rows[i].first != node.first
    return late


cdef inline bint is_kept(const Tree *tree, uint32_t place) noexcept nogil:
    return place != NO_NODE and tree.nodes[place].marks & KEPT


cdef inline bint holds(const Tree *tree, const Way *ways, uint32_t i) noexcept nogil:
    """Whether a row is the current row of a marked node, not one that it has left behind."""
    return is_kept(tree, ways[i].node) and tree.nodes[ways[i].node].first == tree.rows[i].first


cdef inline bint links(const Tree *tree, const Way *ways, uint32_t i) noexcept nogil:
    """Whether a row is a link from one marked node to another."""
    return is_kept(tree, ways[i].node) and is_kept(tree, ways[i].parent)


cdef int class_of(const Tree *tree, const Node *node) noexcept nogil:
    """Return the bits of the node's visits."""
    cdef span_t row = span_t(node.first, node.count, 0)
    cdef uint32_t e, least = NO_NODE, visits
    cdef int bits = 0
    for e in range(node.first, node.first + node.count):
        least = min(least, tree.edges[e].missing)
    visits = visits_to(tree, row) - least
    while visits:
        visits >>= 1
        bits += 1
    return bits


cdef int fewest_visits(const Tree *tree, const Way *ways) noexcept nogil:
    """Return the lowest class such that the nodes of it and of all higher classes fit into half of the memory."""
    cdef uint32_t nodes[CLASSES]
    cdef uint32_t edges[CLASSES]
    cdef uint32_t i, kept_nodes = 0, kept_edges = 0
    cdef const Node *node
    cdef int bits
    memset(nodes, 0, sizeof(nodes))
    memset(edges, 0, sizeof(edges))
    for i in range(tree.num_rows):
        if holds(tree, ways, i):
            node = &tree.nodes[ways[i].node]
            bits = class_of(tree, node)
            nodes[bits] += 1
            edges[bits] += node.count
    for bits in range(CLASSES - 1, -1, -1):
        kept_nodes += nodes[bits]
        kept_edges += edges[bits]
        if kept_nodes > tree.max_nodes // 2 or kept_edges > tree.max_edges // 2:
            return bits + 1
    return 0


cdef void keep_within(Tree *tree, const Way *ways, uint32_t root, int fewest) noexcept nogil:
    """Unmark the nodes of lower classes, except the root."""
    cdef Node *node
    cdef uint32_t i
    if fewest == 0:
        return
    for i in range(tree.num_rows):
        node = &tree.nodes[ways[i].node]
        if node.marks & KEPT and ways[i].node != root and class_of(tree, node) < fewest:
            node.marks &= <uint16_t> ~KEPT


cdef void move_rows(Tree *tree, const Way *ways, uint32_t *owners) noexcept nogil:
    """Move the rows of marked nodes down, in their order, and store the owner of each record: its edge, plus 1."""
    cdef uint32_t i, rows = 0, edges = 0
    cdef const Node *node
    cdef Row row
    for i in range(tree.num_rows):
        row = tree.rows[i]
        if holds(tree, ways, i):
            node = &tree.nodes[ways[i].node]
            tree.rows[rows] = Row(row.key, row.parent, edges, node.count)
            move_edges(tree, node, edges, owners)
            edges += node.count
            rows += 1
        elif links(tree, ways, i):
            tree.rows[rows] = Row(row.key, row.parent, LINK, 0)
            rows += 1
    tree.num_rows = rows
    tree.num_edges = edges


cdef void move_edges(Tree *tree, const Node *node, uint32_t to, uint32_t *owners) noexcept nogil:
    """Move a node's edges down, and store the owners of their records."""
    cdef uint32_t e
    memmove(&tree.edges[to], &tree.edges[node.first], node.count * sizeof(Edge))
    memmove(&tree.actions[to], &tree.actions[node.first], node.count * sizeof(action_t))
    for e in range(to, to + node.count):
        owners[tree.edges[e].record] = e + 1


cdef void move_records(Tree *tree, const uint32_t *owners) noexcept nogil:
    """Move the records that have an owner down, in their order; the one at place 0 has none."""
    cdef uint64_t numbers = record_numbers(tree)
    cdef uint32_t i, records = 1
    for i in range(1, tree.num_records):
        if owners[i]:
            memmove(tree.records + records * numbers, tree.records + i * numbers, numbers * sizeof(double))
            tree.edges[owners[i] - 1].record = records
            records += 1
    tree.num_records = records


cdef void list_nodes(Tree *tree) noexcept nogil:
    """Rebuild the table of nodes from their rows, then mark their parents."""
    cdef const Row *row
    cdef uint32_t i
    memset(tree.nodes, 0, (tree.mask + 1) * sizeof(Node))
    tree.num_nodes = 0
    for i in range(tree.num_rows):
        row = &tree.rows[i]
        if row.first != LINK:
            tree.nodes[place_of(tree, row.key)] = Node(row.key, row.first, row.count, 0)
            tree.num_nodes += 1
    for i in range(tree.num_rows):
        row = &tree.rows[i]
        tree.nodes[tree_find(tree, row.key)].marks |= mark_of(row.parent)
