from enum import IntEnum

EventKind: type[IntEnum]
