"""The admission of a query, checked before any work is done for it, and handed on to its search."""

import time
from dataclasses import dataclass, replace

from clerestory.server.analysis.backlog import Ticket
from clerestory.server.analysis.caller import Caller
from clerestory.server.analysis.demand import Priority


@dataclass(frozen=True, slots=True)
class Admission:
    """The admission of a query.

    Attributes:
        caller: the caller.
        priority: priority of the search.
        arrived: when the query arrived, by time.monotonic.
        remaining: seconds from then to the call's deadline; None for no deadline.
        asker: the source of the query, for metrics: the name of a call, or `Bot`; "" for a program in this process.
        ticket: the ticket of a background search; None for a search that fails if there is no slot.
        explained: whether a person reads the answer, so that it gets reasons if there is time.
    """

    caller: Caller
    priority: Priority
    arrived: float
    remaining: float | None
    asker: str = ""
    ticket: Ticket | None = None
    explained: bool = True

    def received(self, remaining: float | None) -> "Admission":
        """Return the admission of a query that has arrived now, which was admitted before it was read."""
        return replace(self, arrived=time.monotonic(), remaining=remaining)
