"""Reads the fields of a position or a catalogue: pydantic checks the shape, errors become Violations."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from clerestory.engine.errors import Violations, quoted
from clerestory.i18n.sentences import Text, text

MAX_LISTED = 20  # maximum number of faults in one error
OWN = "fault."  # prefix of the error types of our validators, which are codes
# By pydantic error type: the text, from the value and the bounds that pydantic reports.
FAULTS: dict[str, Callable[[str, Mapping[str, Any]], Text]] = {
    "missing": lambda _, __: text("fault.missing"),
    "extra_forbidden": lambda _, __: text("fault.stranger"),
    "greater_than_equal": lambda value, about: text("fault.least", value=value, least=about["ge"]),
    "less_than_equal": lambda value, about: text("fault.most", value=value, most=about["le"]),
    "int_type": lambda value, _: text("fault.whole", value=value),
    "bool_type": lambda value, _: text("fault.flag", value=value),
    "string_type": lambda value, _: text("fault.string", value=value),
    "list_type": lambda value, _: text("fault.list", value=value),
    "dict_type": lambda _, __: text("fault.object"),
    "model_attributes_type": lambda _, __: text("fault.object"),
    "model_type": lambda _, __: text("fault.object"),
    "too_short": lambda value, about: text(
        "fault.few", value=value, least=about["min_length"], count=about["actual_length"]
    ),
    "too_long": lambda value, about: text(
        "fault.many", value=value, most=about["max_length"], count=about["actual_length"]
    ),
    "string_too_short": lambda value, about: text("fault.short", value=value, count=about["min_length"]),
    "string_too_long": lambda value, about: text("fault.long", value=value, count=about["max_length"]),
    "string_pattern_mismatch": lambda value, about: text("fault.form", value=value, form=about["pattern"]),
    "literal_error": lambda value, about: choice(value, about["expected"]),
    "union_tag_invalid": lambda _, about: text(
        "fault.tag", field=about["discriminator"].strip("'"), value=repr(about["tag"]), choices=about["expected_tags"]
    ),
    "union_tag_not_found": lambda _, about: text("fault.tagless", field=about["discriminator"].strip("'")),
}

Shape = TypeVar("Shape", bound="Fields")


class Fields(BaseModel):
    """A JSON object with exactly these fields, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)  # built on first use


def read_fields(shape: type[Shape], fields: object, path: str, error: type[Violations]) -> Shape:
    """Return `fields` as an object of the given shape.

    Args:
        shape: the model.
        fields: a decoded JSON value.
        path: name of that value, prefixed to the path of each error.
        error: raised with all errors found, up to MAX_LISTED.
    """
    try:
        return shape.model_validate(fields)
    except ValidationError as failure:
        faults = failure.errors(include_url=False)[:MAX_LISTED]
        raise error([(path + dotted(fault["loc"]), text_of(fault)) for fault in faults]) from None


def dotted(location: tuple[int | str, ...]) -> str:
    """Return a location as a path: `.hands[0].cards`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{str(step)[:80]}" for step in location)


def text_of(fault: Any) -> Text:
    """Return the text of an error: the value, and what it must be."""
    kind, about = fault["type"], fault.get("ctx", {})
    if kind in FAULTS:
        return FAULTS[kind](quoted(fault.get("input")), about)
    return Text(kind, tuple(about.items())) if kind.startswith(OWN) else text("fault.other", what=fault["msg"])


def choice(value: str, expected: str) -> Text:
    """Return the error that a value must be one of a few, in pydantic's format: `'a', 'b' or 'c'`."""
    others, _, last = expected.rpartition(" or ")
    return (
        text("fault.choice", value=value, others=others, last=last)
        if others
        else text("fault.must", value=value, what=last)
    )
