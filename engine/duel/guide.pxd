# cython: language_level=3
from clerestory.engine.core cimport Guide

cdef Guide GUIDE
