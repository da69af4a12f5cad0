# cython: language_level=3
"""Memory that a thread has taken from a tree and not used yet: rows by length, and records."""
from libc.stdint cimport uint32_t

from clerestory.engine.core cimport MAX_LEGAL
from clerestory.search.memory.tree cimport Edge, Tree

cdef struct Room:
    uint32_t rows[MAX_LEGAL + 1]  # lists of free rows, as heads, by number of edges; 0: the end
    uint32_t current             # head of the row that new ones are cut from; 0: none
    uint32_t left                # rows that their nodes left in this iteration
    uint32_t records             # list of free records; each begins with the place of the next
    uint32_t next_record         # the records taken last, which are adjacent
    uint32_t end_record
    uint32_t nodes               # created, and not yet counted in the tree
    uint32_t cleared             # value of tree.cleared when the memory was taken
    bint short                   # whether a row, a place in the table, or a record for the root could not be had
    bint unrecorded              # whether it was a record for the root

cdef uint32_t take_row(Tree *tree, Room *room, int edges) noexcept nogil
cdef void free_row(Tree *tree, Room *room, uint32_t head) noexcept nogil
cdef void free_left(Tree *tree, Room *room) noexcept nogil
cdef uint32_t with_record(Tree *tree, Room *room, Edge *edge, uint32_t state, uint32_t recorded) noexcept nogil
cdef void free_record(Tree *tree, Room *room, uint32_t record) noexcept nogil
cdef bint has_record(Tree *tree, Room *room) noexcept nogil
cdef void count_node(Tree *tree, Room *room) noexcept nogil
cdef void count_nodes(Tree *tree, Room *room) noexcept nogil
