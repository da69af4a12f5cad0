# cython: language_level=3
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from clerestory.engine.core cimport action_t

cdef enum:
    EDGES_A_NODE = 6  # what the memory is divided for


cdef bint tree_open(Tree *tree, uint64_t max_bytes) noexcept nogil:
    """Take the memory, at most max_bytes; pages are touched as the tree grows. False if there is none."""
    cdef uint64_t node_bytes = sizeof(Node) + EDGES_A_NODE * sizeof(Edge) + 4 * sizeof(uint32_t)
    cdef uint64_t slots = 16
    memset(tree, 0, sizeof(Tree))
    tree.max_nodes = <uint32_t> min(max_bytes // node_bytes, <uint64_t> 1 << 28)
    tree.max_edges = tree.max_nodes * EDGES_A_NODE
    while slots < 2 * <uint64_t> tree.max_nodes:
        slots *= 2
    tree.mask = <uint32_t> (slots - 1)
    tree.nodes = <Node *> malloc(tree.max_nodes * sizeof(Node))
    tree.edges = <Edge *> malloc(tree.max_edges * sizeof(Edge))
    tree.slots = <uint32_t *> calloc(slots, sizeof(uint32_t))
    return tree.nodes != NULL and tree.edges != NULL and tree.slots != NULL


cdef void tree_close(Tree *tree) noexcept nogil:
    free(tree.nodes)
    free(tree.edges)
    free(tree.slots)
    memset(tree, 0, sizeof(Tree))


cdef uint64_t tree_bytes(const Tree *tree) noexcept nogil:
    """Return the memory in use; the table of slots counts whole."""
    return (
        tree.num_nodes * sizeof(Node) + tree.num_edges * sizeof(Edge) + (<uint64_t> tree.mask + 1) * sizeof(uint32_t)
    )


cdef inline uint32_t slot_of(const Tree *tree, uint64_t key) noexcept nogil:
    """Return the slot that holds the key, or the empty one where it belongs."""
    cdef uint32_t slot = <uint32_t> key & tree.mask
    while tree.slots[slot] and tree.nodes[tree.slots[slot] - 1].key != key:
        slot = (slot + 1) & tree.mask
    return slot


cdef uint32_t tree_find(const Tree *tree, uint64_t key) noexcept nogil:
    """Return the node of a key, or NO_NODE."""
    return tree.slots[slot_of(tree, key)] - 1


cdef uint32_t tree_enter(Tree *tree, uint64_t key, const action_t *legal, int n) noexcept nogil:
    """Return the node of a key with an edge for each of the legal actions; NO_NODE if there is no memory for that."""
    cdef uint32_t slot = slot_of(tree, key)
    cdef uint32_t node = tree.slots[slot] - 1
    if node != NO_NODE:
        return node if covers(tree, &tree.nodes[node], legal, n) or widen(tree, node, legal, n) else NO_NODE
    if tree.num_nodes == tree.max_nodes or tree.num_edges + n > tree.max_edges:
        tree.full = True
        return NO_NODE
    node = tree.num_nodes
    tree.num_nodes += 1
    tree.slots[slot] = node + 1
    tree.nodes[node] = Node(key=key, first=tree.num_edges, count=0)
    append(tree, node, legal, n)
    return node


cdef void append(Tree *tree, uint32_t node, const action_t *legal, int n) noexcept nogil:
    cdef int i
    for i in range(n):
        memset(&tree.edges[tree.num_edges], 0, sizeof(Edge))
        tree.edges[tree.num_edges].action = legal[i]
        tree.num_edges += 1
    tree.nodes[node].count = <uint16_t> (tree.nodes[node].count + n)


cdef bint covers(const Tree *tree, const Node *node, const action_t *legal, int n) noexcept nogil:
    """Whether every legal action has its edge."""
    cdef const Edge *row = tree.edges + node.first
    cdef int i, e = 0
    for i in range(n):
        while e < node.count and row[e].action < legal[i]:
            e += 1
        if e == node.count or row[e].action != legal[i]:
            return False
    return True


cdef bint widen(Tree *tree, uint32_t node, const action_t *legal, int n) noexcept nogil:
    """Give the node a new row: the old edges and those of the legal actions, merged. False without memory."""
    cdef Node *at = &tree.nodes[node]
    cdef uint32_t old = at.first, end = at.first + at.count
    cdef int i = 0
    if tree.num_edges + at.count + n > tree.max_edges:
        tree.full = True
        return False
    at.first = tree.num_edges
    at.count = 0
    while i < n or old < end:
        if i < n and (old == end or legal[i] < tree.edges[old].action):
            append(tree, node, &legal[i], 1)
            i += 1
            continue
        i += i < n and legal[i] == tree.edges[old].action
        memcpy(&tree.edges[tree.num_edges], &tree.edges[old], sizeof(Edge))
        tree.num_edges += 1
        at.count += 1
        old += 1
    return True
