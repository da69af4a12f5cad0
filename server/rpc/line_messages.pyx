# cython: language_level=3
"""Writes the table of an answer in the protobuf wire format, straight from the figures of its lines.

The bytes are those that protobuf writes: fields in ascending order, and those with default values left out.
"""
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize

from clerestory.engine.wire cimport BYTES, FIXED64, VARINT
from clerestory.search.lines cimport Line

from math import isfinite

cdef enum Answer:            # fields of RecommendMoveResponse
    SEAT = 1
    BEST = 2
    LINES = 3

cdef enum Field:             # of Line
    ACTION = 1
    VISITS = 2
    AVAILABILITY = 3
    WIN_SHARES = 4
    STANDARD_ERRORS = 5
    MARGIN = 6
    SCORE = 7
    LOWER_BOUND = 8
    LOSS = 9
    PRINCIPAL_VARIATION = 10
    OUTLOOK = 11
    PROBABILITY = 12
    VARIATION = 13
    MARGIN_ERROR = 14
    PLAN = 15
    DOUBTFUL = 16

cdef double ZERO = 0.0


cdef class Output:
    """A growing message."""

    cdef uint8_t *data
    cdef size_t size, room

    def __dealloc__(self):
        free(self.data)

    cdef int reserve(self, size_t more) except -1:
        """Make room for some more bytes."""
        cdef void *data
        if self.size + more > self.room:
            data = realloc(self.data, 2 * (self.size + more))
            if data == NULL:
                raise MemoryError("no memory for an answer")
            self.data, self.room = <uint8_t *> data, 2 * (self.size + more)
        return 0

    cdef int raw(self, const void *data, size_t size) except -1:
        self.reserve(size)
        memcpy(self.data + self.size, data, size)
        self.size += size
        return 0

    cdef int varint(self, uint64_t value) except -1:
        self.reserve(10)
        while value > 127:
            self.data[self.size] = <uint8_t> (value & 127 | 128)
            self.size += 1
            value >>= 7
        self.data[self.size] = <uint8_t> value
        self.size += 1
        return 0

    cdef int tag(self, int field, int kind) except -1:
        return self.varint(field << 3 | kind)

    cdef int part(self, int field, const void *data, size_t size) except -1:
        """Write a text, a message, or packed numbers."""
        self.tag(field, BYTES)
        self.varint(size)
        return self.raw(data, size)

    cdef int message(self, int field, bytes message) except -1:
        return self.part(field, PyBytes_AS_STRING(message), PyBytes_GET_SIZE(message))

    cdef int text(self, int field, str text) except -1:
        cdef Py_ssize_t size
        cdef const char *data = PyUnicode_AsUTF8AndSize(text, &size)
        return self.part(field, data, size)

    cdef int number(self, int field, uint64_t value) except -1:
        """Write a number unless it is 0."""
        if value:
            self.tag(field, VARINT)
            self.varint(value)
        return 0

    cdef int real(self, int field, double value, bint optional=False) except -1:
        """Write a real number, unless it is a positive 0 that may be left out."""
        if optional or memcmp(&value, &ZERO, sizeof(value)):
            self.tag(field, FIXED64)
            self.raw(&value, sizeof(value))
        return 0

    cdef bytes made(self):
        return (<const char *> self.data)[: self.size] if self.size else b""


cdef class TableWriter:
    """Writes the first fields of answers about a game in a locale: the seat, the action to play, and the lines.

    Args:
        named: the message of each action by its text, serialized.
        outlook: returns the messages of a line's outlook, serialized.
        plan: returns those of the plan that begins a variation.
    """

    cdef object named, outlook, plan

    def __init__(self, named, outlook, plan):
        self.named, self.outlook, self.plan = named, outlook, plan

    def write(self, tuple lines not None, seat, best, *, Py_ssize_t most, bint chance):
        """Return the bytes of the fields.

        Args:
            lines: the lines, best first, at least one.
            seat: the seat to play; None for none.
            best: text of the action to play; None for none.
            most: maximum number of lines; 0 for all.
            chance: whether they are the outcomes of a chance event, none of which is doubtful.
        """
        cdef Output out = Output(), inner = Output()
        cdef Py_ssize_t i, count = min(most, len(lines)) if most else len(lines)
        if seat is not None:
            out.tag(SEAT, VARINT)
            out.varint(seat)
        if best is not None:
            out.message(BEST, self.named[best])
        for i in range(count):
            inner.size = 0
            self._line(inner, lines[i], None if chance else lines[0])
            out.part(LINES, inner.data, inner.size)
        return out.made()

    cdef int _line(self, Output out, Line line, Line best) except -1:
        """Write the fields of a line; `best` is the first line, None at a chance event."""
        cdef size_t size = line.seats * sizeof(double)
        out.message(ACTION, self.named[line.action])
        out.number(VISITS, line.visits)
        out.number(AVAILABILITY, line.availability)
        if size:
            out.part(WIN_SHARES, line.shares, size)
            out.part(STANDARD_ERRORS, line.share_errors, size)
        out.real(MARGIN, line.margin)
        out.real(SCORE, line.score)
        out.real(LOWER_BOUND, line.lower_bound)
        out.real(LOSS, line.loss)
        for text in line.principal_variation:
            out.text(PRINCIPAL_VARIATION, text)
        for message in self.outlook(line) if line.outlook else ():
            out.message(OUTLOOK, message)
        if line.probability is not None:
            out.real(PROBABILITY, line.probability, True)
        for text in line.principal_variation:
            out.message(VARIATION, self.named[text])
        if isfinite(line.margin_error):
            out.real(MARGIN_ERROR, line.margin_error, True)
        for message in self.plan(line.principal_variation):
            out.message(PLAN, message)
        out.number(DOUBTFUL, best is not None and line.doubtful_beside(best))
        return 0


def as_part(int field, bytes message not None):
    """Return a serialized message as a field of another."""
    cdef Output out = Output()
    out.message(field, message)
    return out.made()
