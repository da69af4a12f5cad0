"""Logs on standard error: a JSON object a line, or text for people. No line quotes a secret."""

import logging
import os
import re
import sys
import traceback
from collections.abc import Iterator, MutableMapping
from types import TracebackType
from typing import Any

import structlog

GRPC, LEFT = "grpc._cython.cygrpc", "ExecuteBatchError"  # what gRPC logs for each answer to a caller who has left
FRAMES = 16  # of each exception, the innermost
CHAIN = 4  # exceptions of one traceback, from the one that was raised back through its causes
LONGEST = 500  # characters of a message: an exception may quote all that it was given
# Tokens of games have 43 characters, salts 32, drawn seeds 16 digits; bearer tokens are known by the word before them.
SECRET = re.compile(r"(?<=bearer )[\w.~+/-]+=*|[\w-]{26,}|\d{9,}", re.ASCII | re.IGNORECASE)

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def write_logs(form: str, level: str = "info") -> None:
    """Send the logs of this process to standard error; each line of a call has the call's identifier.

    The core of gRPC writes lines of its own there, as for each caller without TLS, and what a caller says as it leaves,
    however long. If it is imported later, it leaves out all but errors, unless GRPC_VERBOSITY says otherwise.

    Args:
        form: `text` or `json`.
        level: `debug`, `info`, `warning` or `error`, the least that is written.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=SHARED, processors=processors(form)))
    handler.addFilter(lambda record: not (record.name == GRPC and str(record.msg).startswith(LEFT)))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def processors(form: str) -> list[Any]:
    """Return the last processors, from a record to its line."""
    plain = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    safe = [plain, clean_event, structlog.processors.ExceptionRenderer(told)]
    if form == "json":
        return [*safe, structlog.processors.JSONRenderer()]
    return [*safe, structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]


# -- what is safe to write -------------------------------------------------------------------------


def clean(text: str) -> str:
    """Return a text without what may be a secret, cut to LONGEST characters."""
    short = SECRET.sub("***", text[: 2 * LONGEST])  # cut first: a long text takes long to search
    return short if len(short) <= LONGEST else f"{short[:LONGEST]}..."


def clean_event(_logger: object, _method: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Clean the text of a record: libraries quote exceptions in theirs."""
    fields["event"] = clean(str(fields.get("event", "")))
    return fields


def told(exc_info: ExceptionInfo) -> str:
    """Return an exception and its causes, the first cause first: frames without locals, messages without secrets."""
    return "\n\n".join(reversed([*map(told_alone, causes(exc_info[1]))]))


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and what it came from, CHAIN of them at most."""
    following: BaseException | None = error
    for _ in range(CHAIN):
        if following is None:
            return
        yield following
        following = following.__cause__ or (None if following.__suppress_context__ else following.__context__)


def told_alone(error: BaseException) -> str:
    """Return the innermost frames of an exception, and its message."""
    frames = traceback.format_list(traceback.extract_tb(error.__traceback__, limit=-FRAMES))
    return f"{''.join(frames)}{type(error).__qualname__}: {clean(str(error))}"


SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
