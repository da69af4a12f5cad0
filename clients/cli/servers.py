"""The advisor of a command: in this process, on the server named with --server, or on a private server."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING

from clerestory.cli import locale
from clerestory.cli.access import PLAIN, Access, dialling, require_no_access
from clerestory.cli.options import BadOption, catalogue_options
from clerestory.clients import Advisor, AsyncAdvisor, BadRequest, NotNow
from clerestory.clients.child import Child, child_server
from clerestory.clients.errors import FieldViolation
from clerestory.clients.wire import QuestionOptions

if TYPE_CHECKING:
    from clerestory.cli.local_advisor import LocalAdvisor


# Of a private server: few searches are under way, so that each can have a large tree.
PRIVATE = ("--max-searches", "4", "--max-tree-bytes", str(4 << 30))
PRIVATE_SERVER = "private"  # as a value of --server
OPTIONS = {  # by the field of a request, if the names differ
    "time_budget": "--time",
    "consider_actions": "--consider",
    "avoid_actions": "--avoid",
    "update_interval": "--every",
    "target_certainty": "--certainty",
    "observer": "--observer",
    "max_lines": "--lines",
}
PATIENCE = 10.0  # seconds that a command waits for a server that is down


@contextmanager
def advised(
    server: str | None, access: Access = PLAIN, workers: int | None = 1, position: str = "-"
) -> "Iterator[Advisor | LocalAdvisor]":
    """Yield a client of a server; for None an analyst of this process with `workers` threads, None for all cores.

    `position` is the file of the position that is asked about. Raises BadOption, AdvisorError.
    """
    workers = workers or os.cpu_count() or 1
    if server is not None:
        with by_option(position), connected(server, access, workers) as advisor:
            yield advisor
        return
    from clerestory.cli.local_advisor import (
        LocalAdvisor,  # the searches of a server, which only those who ask none need
    )

    require_no_access(access)
    with by_option(position), LocalAdvisor(workers) as here:
        yield here


@contextmanager
def by_option(position: str = "-") -> Iterator[None]:
    """Name an option, or the file of the position, where a BadRequest or NotNow names a field. Raises BadOption."""
    try:
        yield
    except (BadRequest, NotNow) as error:
        faults = [str(fault) for fault in error.violations]
        words = [option_of(fault, position) for fault in error.violations]
        if words == faults:
            raise
        raise BadOption("; ".join(words)) from None


def option_of(fault: FieldViolation, position: str) -> str:
    """Return what is wrong, with the option for its field, or the file of the position, if there is one."""
    path = fault.field.removeprefix("question.")
    field = re.split(r"[.\[]", path)[0]
    if field == "position" and position != "-":
        return f"{position}: {path.removeprefix('position.')}: {fault.description}"
    option = OPTIONS.get(field, f"--{field}" if field in QuestionOptions.__annotations__ else "")
    return f"{option}: {fault.description}" if option else str(fault)


@contextmanager
def connected(server: str | None, access: Access = PLAIN, workers: int = 1) -> Iterator[Advisor]:
    """Yield a client of a server; for None, or `private`, of one that runs for this block, with `workers` workers.

    Raises BadOption, AdvisorError.
    """
    if server in (None, PRIVATE_SERVER):
        require_no_access(access)
        with (
            embedded_server("--workers", str(workers), *PRIVATE) as target,
            Advisor(target, patience=0, language=locale.language()) as advisor,
        ):
            yield advisor
        return
    with dialling():
        client = Advisor(server, access.token(), access.tls(), patience=PATIENCE, language=locale.language())
    with client as advisor:
        yield advisor


@contextmanager
def advised_by(server: str | None, access: Access, store: str) -> Iterator[AsyncAdvisor]:
    """Yield an unconnected client of a server; for None, of one that runs for this block, with its games in a store.

    Raises BadOption, AdvisorError.
    """
    with ExitStack() as stack:
        if server is None:
            require_no_access(access)
            server = stack.enter_context(embedded_server(*PRIVATE, "--store", store))
        with dialling():
            advisor = AsyncAdvisor(server, access.token(), access.tls(), patience=PATIENCE)
        yield advisor


# -- a private server ------------------------------------------------------------------------------


@contextmanager
def embedded_server(*options: str) -> Iterator[str]:
    """Yield the target of a server that runs for the duration of the `with`, and never outlives this process.

    Args:
        options: of `clerestory serve`.

    Raises Unavailable when it does not start.
    """
    with embedded_child(*options) as child:
        yield child.target


def embedded_child(*options: str) -> AbstractContextManager[Child]:
    """Like `embedded_server`, but yield the process as well."""
    return child_server([sys.executable, "-m", "clerestory", *catalogue_options()], *options)
