"""Answers about a position, as text or JSON, at the end of a search or live."""

import json
from collections.abc import Iterator
from typing import Any

import typer
from google.protobuf.json_format import MessageToDict

from clerestory.cli.answers import answer_view
from clerestory.cli.options import BadOption
from clerestory.cli.positions import read_position
from clerestory.cli.screen import redrawing, screen
from clerestory.clients import Recommendation, Update
from clerestory.clients.wire import ONLOOKER
from clerestory.v1.advisor_pb2 import RecommendMoveResponse


def observer_of(word: str | None) -> int | None:
    """Return whose knowledge an option names. Raises BadOption."""
    if word is None or word == "onlooker":
        return None if word is None else ONLOOKER
    if not (word.isascii() and word.isdigit()):
        raise BadOption(f"--observer: {word!r} is neither a seat nor onlooker")
    return int(word[:12])  # of ever so many digits, still more than any seat


def in_json(answer: RecommendMoveResponse) -> dict[str, Any]:
    """Return an answer in the JSON of the API, with its names as proto/ has them; 64-bit numbers are strings."""
    return MessageToDict(answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def show_answer(answer: Recommendation, position: str, *, as_json: bool) -> None:
    """Print an answer about a position."""
    if as_json:
        typer.echo(json.dumps(in_json(answer.message), indent=2))
        return
    console = screen()
    console.print(answer_view(answer, read_position(position), console.width))


def print_updates(updates: Iterator[Update]) -> None:
    """Print each table as it arrives, as a line of JSON."""
    for update in updates:
        recommendation = in_json(update.recommendation.message)
        fields = {"recommendation": recommendation, "sequence": update.sequence, "final": update.final}
        typer.echo(json.dumps(fields))


def show_updates(updates: Iterator[Update], position: str) -> None:
    """Show each table of a position as it arrives, in place of the previous one."""
    state, console = read_position(position), screen()
    with redrawing(console) as show:
        for update in updates:
            show(answer_view(update.recommendation, state, console.width))
