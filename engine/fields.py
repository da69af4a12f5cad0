"""Reading the fields of a position or a catalogue: the shape by pydantic, the faults as Violations."""

from functools import reduce
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from clerestory.engine.errors import Violations

MAX_LISTED = 20  # faults named in one error
LONGEST_QUOTED = 80  # characters of a value
PREFIX = "Input should be "  # of pydantic
SAID = {
    "less than or equal to": "at most",
    "greater than or equal to": "at least",
    "greater than": "above",
    "less than": "below",
    "a valid integer": "a whole number",
    "List should have": "the list must have",
    "items after validation": "entries",
    "item after validation": "entry",
}  # pydantic's words, in plainer ones
PLAIN = {"missing": "is missing", "extra_forbidden": "is not a field here; remove it"}  # by pydantic's type of a fault

Shape = TypeVar("Shape", bound="Fields")


class Fields(BaseModel):
    """A JSON object with exactly these fields, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)  # built on first use


def read_fields(shape: type[Shape], fields: object, path: str, error: type[Violations]) -> Shape:
    """Return `fields` as an object of the given shape.

    Args:
        shape: the model.
        fields: a decoded JSON value.
        path: the name of that value, put before the path of each fault.
        error: raised with every fault found, up to MAX_LISTED.
    """
    try:
        return shape.model_validate(fields)
    except ValidationError as failure:
        faults = failure.errors(include_url=False, include_context=False)[:MAX_LISTED]
        raise error([(path + dotted(fault["loc"]), fault_text(fault)) for fault in faults]) from None


def dotted(location: tuple[int | str, ...]) -> str:
    """Return a location as a path: `.hands[0].cards`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{str(step)[:80]}" for step in location)


def fault_text(fault: Any) -> str:
    """Return what is wrong: the value, if it is short enough to quote, and what it must be."""
    if fault["type"] in PLAIN:
        return PLAIN[fault["type"]]
    value = repr(fault.get("input"))
    given = f"is {value}; " if len(value) <= LONGEST_QUOTED else ""
    message = reduce(lambda text, words: text.replace(*words), SAID.items(), str(fault["msg"]))
    if message.startswith(PREFIX):
        return f"{given}must be {message.removeprefix(PREFIX)}"
    return f"{given}{message[:1].lower()}{message[1:]}"
