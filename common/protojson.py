"""Parses ProtoJSON strictly, with errors that name the fields at fault."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, partial
from itertools import islice
from typing import Any, TypeVar, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

QUOTED = 40  # characters of a value quoted in an error
MAX_FAULTS = 24  # maximum number of faults in an error
WHOLE = "a whole number from {} to {}"
RANGE = re.compile(rf"must be {WHOLE.format('-?[0-9]+', '[0-9]+')}$")  # at the end of the fault of a number
WANTED = {
    FieldDescriptor.CPPTYPE_INT32: WHOLE.format(-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: WHOLE.format(-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: WHOLE.format(0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: WHOLE.format(0, 2**64 - 1),
    FieldDescriptor.CPPTYPE_DOUBLE: "a number",
    FieldDescriptor.CPPTYPE_FLOAT: "a number",
    FieldDescriptor.CPPTYPE_BOOL: "true or false",
    FieldDescriptor.CPPTYPE_STRING: "a text in Unicode",
}
DURATION = "google.protobuf.Duration"  # a string in JSON
TIME = re.compile(r"-?[0-9]+(\.[0-9]+)?s")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?|NaN|-?Infinity")  # in a string, as JSON may write it
FRACTIONS = (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT)
NO_NUMBERS = (FieldDescriptor.CPPTYPE_BOOL, FieldDescriptor.CPPTYPE_STRING)

Blame = tuple[str, str]  # a field, and its fault
M = TypeVar("M", bound=Message)
Repeats = dict[int, tuple[dict[str, Any], str]]  # objects by id, each with a repeated name


class BadJson(ValueError):
    """A text or an object is not a valid message.

    Attributes:
        faults: the path of each field at fault, "" for the whole, and its fault; at least one.
    """

    def __init__(self, faults: Sequence[Blame]) -> None:
        super().__init__("; ".join(": ".join(filter(None, fault)) for fault in faults))
        self.faults = tuple(faults)


def narrowed(faults: Iterable[Blame], range_of: Callable[[str], tuple[int, int] | None]) -> list[Blame]:
    """Return faults, of which those of numbers name the range of the field, where it has one, instead of its type's.

    Args:
        faults: of a BadJson.
        range_of: returns the range of the field at a path; None if it has none of its own.
    """
    return [(path, narrowed_one(text, range_of(path)) if RANGE.search(text) else text) for path, text in faults]


def narrowed_one(text: str, found: tuple[int, int] | None) -> str:
    """Return the fault of a number with another range, if there is one."""
    return text if found is None else RANGE.sub(f"must be {WHOLE.format(*found)}", text)


def parse(message: M, written: str | bytes | Mapping[str, Any]) -> M:
    """Parse JSON text, or the equivalent dictionary, into a message, and return the message.

    It follows the JSON mapping of proto3, without protobuf's extensions: fields have either of their names, defaults
    may be absent, and numbers may be strings. It rejects repeated names in an object, and both names of a field.

    Raises BadJson.
    """
    try:
        kind = cast(Descriptor, message.DESCRIPTOR)
        fields = dict(written) if isinstance(written, Mapping) else read_object(written, kind)
        return fill(message, fields)
    except RecursionError:
        raise BadJson([("", "is nested too deeply")]) from None


def read_object(written: str | bytes, kind: Descriptor) -> dict[str, Any]:
    """Parse a text as the JSON object of a message type. Raises BadJson, RecursionError."""
    repeats: Repeats = {}
    try:
        text = written.decode("utf-8-sig") if isinstance(written, bytes) else written
        found = json.loads(text, parse_float=number_of, object_pairs_hook=partial(object_of, repeats=repeats))
    except UnicodeDecodeError:
        raise BadJson([("", "is not JSON: it is not encoded in UTF-8")]) from None
    except json.JSONDecodeError as error:
        raise BadJson([("", f"is not JSON: {error}")]) from None
    except ValueError:  # the only other cause is a number with more digits than Python accepts
        raise BadJson([("", "has a number of too many digits")]) from None
    if not isinstance(found, dict):
        raise BadJson([("", f"is {quoted(found)}; must be a JSON object")])
    for path in repeated_in(found, "", repeats, kind) if repeats else ():
        raise BadJson([(path, "is given more than once in one object")])
    return found


def object_of(pairs: list[tuple[str, Any]], repeats: Repeats) -> dict[str, Any]:
    """Return an object with the last value of each name; add its first repeated name to `repeats`."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            repeats.setdefault(id(found), (found, name))
        found[name] = value
    return found


def repeated_in(value: Any, path: str, repeats: Repeats, kind: Descriptor | None) -> Iterator[str]:
    """Yield the paths of repeated names in a value, at any depth; `path` is the path of the value."""
    known = known_fields(kind) if kind else {}
    if id(value) in repeats:
        yield joined(path, repeats[id(value)][1], known)
    inside: Iterable[tuple[Any, str, Descriptor | None]] = ()
    if isinstance(value, dict):
        inside = ((one, joined(path, name, known), kind_of(known.get(name))) for name, one in value.items())
    elif isinstance(value, list):
        inside = ((one, there, kind) for one, there in each(value, path))
    for inner, there, its in inside:
        yield from repeated_in(inner, there, repeats, its)


def kind_of(field: FieldDescriptor | None) -> Descriptor | None:
    """Return the message type of a field; None if it has another type."""
    return field.message_type if field else None


def joined(path: str, name: object, known: Mapping[str, FieldDescriptor]) -> str:
    """Return the path of a field in the object at `path`, by its proto name if it has one."""
    field = known.get(name) if isinstance(name, str) else None
    own = named(str(name)) if field is None or str(name).startswith("$") else field.name
    return f"{path}.{own}".removeprefix(".")


def fill(message: M, fields: dict[str, Any]) -> M:
    """Fill a message with the fields of a JSON object, and return it. Raises BadJson, RecursionError."""
    kind: Any = message.DESCRIPTOR
    try:
        ParseDict(fields, message)
        read = not any_misread(kind, fields)
    except RecursionError:
        raise
    except Exception:  # protobuf raises various errors for unexpected values
        read = False
    if not read:
        raise BadJson([*islice(faults_in(kind, fields, ""), MAX_FAULTS)] or [("", f"is not a {kind.name}")])
    return message


def any_misread(kind: Descriptor, fields: dict[str, Any]) -> bool:
    """Return whether protobuf has misread an object that it accepted as a message.

    If a field is given by both of its names, protobuf uses the last one.
    """
    known = known_fields(kind)
    if len({known[name].name for name in fields}) < len(fields):
        return True
    return any(misread(known[name], value) for name, value in fields.items() if value is not None)


def misread(field: FieldDescriptor, value: Any) -> bool:
    """Return whether a value that protobuf may accept is invalid in the JSON mapping of proto3.

    Protobuf accepts anything that Python converts to a number: `true`, "1_000", or "2" for an enum value.
    """
    if field.is_repeated and isinstance(value, list):
        return any(misread_alone(field, one) for one in value)
    return misread_alone(field, value)


def misread_alone(field: FieldDescriptor, value: Any) -> bool:
    """Return the same for one value of a field."""
    kind = field.message_type
    if kind is not None and kind.full_name != DURATION:
        return any_misread(kind, value)
    if field.cpp_type in NO_NUMBERS:
        return False
    names, whole = field.enum_type, field.cpp_type not in FRACTIONS
    if isinstance(value, str) and names:
        return value not in names.values_by_name
    if isinstance(value, str):
        return not (TIME if kind else NUMBER).fullmatch(value) or (whole and not kind and is_fraction(value))
    return isinstance(value, bool) or (names is not None and value != int(value)) or (whole and type(value) is Rounded)


class Rounded(float):
    """A number whose fraction a float cannot represent."""


def number_of(text: str) -> float:
    """Return the value of a JSON number with a point or an exponent."""
    number = float(text)
    return Rounded(number) if number.is_integer() and is_fraction(text) else number


def is_fraction(text: str) -> bool:
    """Return whether a text is a finite number that is not an integer."""
    number = Decimal(text)
    return number.is_finite() and number != number.to_integral_value()


# -- the fields at fault ----------------------------------------------------------------------------


def faults_in(kind: Descriptor, value: Any, path: str) -> Iterator[Blame]:
    """Yield the faults of an object as a message of a type; `path` is the path of the object."""
    if not isinstance(value, dict):
        yield path, f"is {quoted(value)}; must be an object"
        return
    known = known_fields(kind)
    chosen: dict[str, str] = {}  # the given name of each field and oneof
    for name, inner in value.items():
        here = joined(path, name, known)
        field = known.get(name)
        if field is None:
            yield here, f"is not a field of {kind.name}"
            continue
        for one in (field, None if inner is None else field.containing_oneof):
            if one is not None and chosen.setdefault(one.name, name) != name:
                yield here, f"cannot be given beside {chosen[one.name]}"
        if inner is not None:
            yield from faults_of(field, inner, here)


@cache
def known_fields(kind: Descriptor) -> Mapping[str, FieldDescriptor]:
    """Return the fields of a message type, by each of their names."""
    return {name: field for field in kind.fields for name in (field.name, field.json_name)}


def faults_of(field: FieldDescriptor, value: Any, path: str) -> Iterator[Blame]:
    """Yield the faults in the value of a field."""
    kind = field.message_type
    if field.is_repeated and not isinstance(value, list):
        yield path, f"is {quoted(value)}; must be an array"
    elif kind is not None and kind.full_name != DURATION:
        for one, there in each(value, path) if field.is_repeated else [(value, path)]:
            yield from faults_in(kind, one, there)
    elif not fits(field, value):
        one, there = misfit(field, value, path) if field.is_repeated else (value, path)
        yield there, f"is {quoted(one)}; must be {wanted(field)}"


def each(values: list[Any], path: str) -> Iterator[tuple[Any, str]]:
    """Yield the values of an array with their paths."""
    return ((one, f"{path}[{number}]") for number, one in enumerate(values))


def fits(field: FieldDescriptor, value: Any) -> bool:
    """Return whether a field accepts a value, for a repeated field as its first elements."""
    kind: Any = field.containing_type
    try:
        ParseDict({field.name: value}, GetMessageClass(kind)())
        return not misread(field, value)
    except Exception:
        return False


def misfit(field: FieldDescriptor, values: list[Any], path: str) -> tuple[Any, str]:
    """Return the first value of an array that a field rejects, and its path.

    It uses bisection, because there may be 30,000 values.
    """
    low, high = 0, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        if fits(field, values[low:middle]):
            low = middle
        else:
            high = middle
    return values[low], f"{path}[{low}]"


def wanted(field: FieldDescriptor) -> str:
    """Return a description of the values that a field accepts."""
    if field.enum_type is not None:
        return f"a value of {field.enum_type.name}, such as {quoted(field.enum_type.values[-1].name)}"
    return 'a duration such as "1.5s"' if field.message_type is not None else WANTED[field.cpp_type]


def named(name: str) -> str:
    """Return a name, or its beginning, in valid UTF-8: JSON may contain unpaired surrogates."""
    return name[:QUOTED].encode(errors="backslashreplace").decode()


def quoted(value: Any) -> str:
    """Return a value as JSON, truncated if long."""
    text = json.dumps(value, default=repr)
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}..."
