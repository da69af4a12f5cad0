"""Groups of options, declared once: a command takes a dataclass of them, and its users see the fields as options."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature
from typing import Annotated, Any

Command = Callable[..., None]


def grouped(**declared: Mapping[str, Any]) -> Callable[[Command], Command]:
    """Return a decorator that turns the fields of a command's dataclass parameters into options.

    If a parameter has an instance as its default, the instance's values are the defaults of the options.

    Args:
        declared: options for dataclasses whose fields are not annotated with them, by parameter and field name.
    """

    def decorate(command: Command) -> Command:
        given = inspect.signature(command).parameters.values()
        groups = [one for one in given if is_dataclass(one.annotation)]

        @wraps(command)
        def call(**values: Any) -> None:
            for group in groups:
                own = {field.name: values.pop(field.name) for field in fields(group.annotation)}
                values[group.name] = group.annotation(**own)
            command(**values)

        options = [option for one in given for option in spread(one, declared.get(one.name, {}))]
        call.__signature__ = Signature(options)  # type: ignore[attr-defined]
        call.__annotations__ = {option.name: option.annotation for option in options}
        return call

    return decorate


def spread(parameter: Parameter, declared: Mapping[str, Any]) -> Iterator[Parameter]:
    """Yield the options that a parameter stands for: itself, or the fields of its dataclass."""
    if not is_dataclass(parameter.annotation):
        yield parameter.replace(kind=Parameter.KEYWORD_ONLY)
        return
    for field in fields(parameter.annotation):
        kind = Annotated[field.type, declared[field.name]] if declared else field.type
        yield Parameter(
            field.name, Parameter.KEYWORD_ONLY, default=default_of(field, parameter.default), annotation=kind
        )


def default_of(field: Field[Any], instance: Any) -> Any:
    """Return the default of an option, from the instance if there is one; Parameter.empty if it is required."""
    if instance is not Parameter.empty:
        return getattr(instance, field.name)
    return Parameter.empty if field.default is MISSING else field.default
