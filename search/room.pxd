# cython: language_level=3
"""Memory that a thread has taken from a tree and not used yet: rows by their length, and records."""
from libc.stdint cimport uint32_t

from clerestory.engine.core cimport MAX_LEGAL
from clerestory.search.tree cimport Tree

cdef struct Room:
    uint32_t rows[MAX_LEGAL + 1]  # lists of free rows by their edges, of heads; 0: the end
    uint32_t current             # head of the row from which new ones are cut; 0: none
    uint32_t left                # rows that their nodes have left in this iteration
    uint32_t records             # list of free ones, each of which begins with the place of the next
    uint32_t next_record         # those taken last, in a piece
    uint32_t end_record
    uint32_t nodes               # made, and not counted in the tree yet
    uint32_t cleared             # of the tree when all this was taken
    bint short                   # a row, or a place in the table, could not be had

cdef uint32_t take_row(Tree *tree, Room *room, int edges) noexcept nogil
cdef void free_row(Tree *tree, Room *room, uint32_t head) noexcept nogil
cdef void free_left(Tree *tree, Room *room) noexcept nogil
cdef uint32_t take_record(Tree *tree, Room *room) noexcept nogil
cdef void free_record(Tree *tree, Room *room, uint32_t record) noexcept nogil
cdef bint has_record(Tree *tree, Room *room) noexcept nogil
cdef void count_node(Tree *tree, Room *room) noexcept nogil
cdef void count_nodes(Tree *tree, Room *room) noexcept nogil
