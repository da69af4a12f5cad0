"""Reading the fields of a position or a catalogue: the shape by pydantic, the faults as Violations."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from clerestory.engine.errors import CatalogueInUse, Violations

MAX_LISTED = 20  # faults named in one error

Shape = TypeVar("Shape", bound="Fields")


class Fields(BaseModel):
    """A JSON object with exactly these fields, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


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
    """Return what is wrong, with the value where it is short enough to quote."""
    message = str(fault["msg"])
    value = repr(fault.get("input"))
    return message if len(value) > 80 or fault["type"] == "missing" else f"{message}: {value}"


def sources_by_value(row: dict[str, Any], covers: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return a catalogue's row with the source of each of its values under that value's own name.

    Args:
        row: with its `sources`, some of which are of several values.
        covers: those, with the values that they are of; a value that the row lacks needs none.
    """
    sources: dict[str, str] = {}
    for name, source in row["sources"].items():
        sources |= {value: source for value in covers.get(name, (name,)) if value in row}
    return {**row, "sources": sources}


CATALOGUES: dict[str, str] = {}  # by game: the hash of the catalogue whose cards are in the tables of this process


def begin_catalogue(name: str, catalogue: str) -> bool:
    """Return whether the tables of a game are still to be filled with the cards of a catalogue, given its hash.

    Raises CatalogueInUse where they hold those of another one.
    """
    in_use = CATALOGUES.get(name, catalogue)
    if in_use != catalogue:
        raise CatalogueInUse(f"{name}: this process has the cards of catalogue {in_use}; another needs its own process")
    begun = name in CATALOGUES
    CATALOGUES[name] = catalogue
    return not begun
