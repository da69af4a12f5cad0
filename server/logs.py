"""Logs on standard error: a JSON object a line, or text for people."""

import logging
import sys
from typing import Any

import structlog

FORMATS = ("json", "text")
LEVELS = ("debug", "info", "warning", "error")


def write_logs(form: str, level: str = "info") -> None:
    """Send the logs of this process to standard error; each line of a call has the call's identifier.

    Args:
        form: one of FORMATS.
        level: one of LEVELS, the least that is written.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=SHARED, processors=processors(form)))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def processors(form: str) -> list[Any]:
    """Return the last processors, from a record to its line."""
    plain = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    if form == "json":
        return [plain, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    return [plain, structlog.dev.ConsoleRenderer(colors=False)]
