"""Loads lessons from lessons/GAME/NAME.json, in the order of server/lessons/lessons.json.

A lesson is a list of steps. A step may set a position, force plies, show a text, and set a task: the actions that the
learner may choose, and the conditions to reach.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from clerestory.engine.core import Game, State
from clerestory.engine.errors import BadPosition
from clerestory.server.lessons.goals import Condition

FOLDER = Path(__file__).resolve().parent  # of the files themselves, even if the module is a link


class BadLesson(ValueError):
    """A lesson file is invalid; the message names the file and the fault."""


class NoLesson(ValueError):
    """A lesson does not exist; the message lists the existing ones."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text, with its arguments and what it refers to.

    Attributes:
        say: key of the text, after the lesson's name; "" for none.
        light: places on the board to highlight.
        given: sources of its arguments, by name.
    """

    say: str = ""
    light: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """A text about a ply of a task.

    Attributes:
        words: the text.
        play: patterns of the ply; () for any.
        when: conditions after the ply.
        at_once: whether the text comes before any further ply, because the ply alone is a failure.
    """

    words: Words
    play: tuple[str, ...] = ()
    when: tuple[Condition, ...] = ()
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """A task for the learner.

    Attributes:
        goal: conditions to reach.
        until: when the goal is judged; () for after every ply.
        allow: patterns of the actions that the learner may choose.
        wrong: texts about failed attempts; the first that matches is shown.
        tell: remarks on intermediate plies, each shown once.
        script: patterns of forced plies of chance and of the opponent; each is used once, in order, when it is legal.
        hints: whether the task expects the learner to use hints.
        answer: actions that reach the goal.
    """

    goal: tuple[Condition, ...]
    until: tuple[Condition, ...] = ()
    allow: tuple[str, ...] = ("*",)
    wrong: tuple[Reply, ...] = ()
    tell: tuple[Reply, ...] = ()
    script: tuple[str, ...] = ()
    hints: bool = False
    answer: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a lesson: a position, then forced plies, then a text, then a task; each is optional."""

    words: Words
    at: str = ""
    play: tuple[str, ...] = ()
    task: Task | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson.

    Attributes:
        name: unique among all games.
        game: the game that it teaches.
        number: its number among the lessons of the game, from 1.
        minutes: how long it takes.
        seat: the learner's seat.
        habits: patterns of the opponent's actions outside scripts, in order of preference.
        positions: the initial positions of its steps, by name.
        steps: in order.
    """

    name: str
    game: Game
    number: int
    minutes: int
    seat: int
    habits: tuple[str, ...]
    positions: Mapping[str, State]
    steps: tuple[Step, ...]


def written(game: Game) -> tuple[Lesson, ...]:
    """Return the lessons of a game in order; () if the cards in use make their positions impossible.

    Raises BadLesson.
    """
    names = read("lessons.json").get(game.name, [])
    try:
        return tuple(read_lesson(game, name, number) for number, name in enumerate(names, 1))
    except BadPosition:  # the cards in use differ
        return ()


@cache
def read(name: str) -> Any:
    """Return the content of a JSON file in this folder, cached."""
    return json.loads((FOLDER / name).read_text("utf-8"))


def read_lesson(game: Game, name: str, number: int) -> Lesson:
    """Load a lesson. Raises BadLesson, BadPosition."""
    path = f"{game.name}/{name}.json"
    fields = read(path)
    try:
        return Lesson(
            name=name,
            game=game,
            number=number,
            minutes=fields["minutes"],
            seat=fields.get("seat", 0),
            habits=tuple(fields.get("habits", ())),
            positions={key: read_position(game, one) for key, one in fields["positions"].items()},
            steps=tuple(map(read_step, fields["steps"])),
        )
    except (KeyError, TypeError) as error:
        raise BadLesson(f"{path}: {error}") from None


def read_position(game: Game, fields: Mapping[str, Any]) -> State:
    """Return a position of a lesson file: all its fields, or those that differ from another one. Raises BadPosition."""
    whole = dict(fields)
    if base := whole.pop("from", ""):
        whole = json.loads(json.dumps(read(f"{game.name}/positions/{base}.json"))) | whole
    for path, value in whole.pop("but", {}).items():
        put(whole, path, value)
    return game.from_position({"rules_revision": game.rules_revision, "catalogue": game.catalogue, game.name: whole})


def put(fields: Any, path: str, value: Any) -> None:
    """Set a field or an element by its path: `players.0.gold`. Raises KeyError if it does not exist."""
    *way, last = path.split(".")
    for word in way:
        fields = fields[int(word) if isinstance(fields, list) else word]
    if isinstance(fields, list):
        fields[int(last)] = value
    elif last in fields:
        fields[last] = value
    else:
        raise KeyError(path)


def read_step(fields: Mapping[str, Any]) -> Step:
    """Parse a step."""
    return Step(
        words=read_words(fields),
        at=fields.get("at", ""),
        play=tuple(fields.get("play", ())),
        task=read_task(fields["task"]) if "task" in fields else None,
    )


def read_words(fields: Mapping[str, Any]) -> Words:
    """Parse the text of a step or a reply."""
    return Words(fields.get("say", ""), tuple(fields.get("light", ())), fields.get("with", {}))


def read_task(fields: Mapping[str, Any]) -> Task:
    """Parse a task. Raises TypeError for an unknown field."""
    known = {"goal", "until", "allow", "wrong", "tell", "script", "hints", "answer"}
    if strangers := fields.keys() - known:
        raise TypeError(f"a task has no {', '.join(sorted(strangers))}")
    return Task(
        goal=read_conditions(fields["goal"]),
        until=read_conditions(fields.get("until", ())),
        allow=tuple(fields.get("allow", ["*"])),
        wrong=tuple(map(read_answer, fields.get("wrong", ()))),
        tell=tuple(map(read_answer, fields.get("tell", ()))),
        script=tuple(fields.get("script", ())),
        hints=bool(fields.get("hints")),
        answer=tuple(fields.get("answer", ())),
    )


def read_answer(fields: Mapping[str, Any]) -> Reply:
    """Parse a reply."""
    play, when = tuple(fields.get("play", ())), read_conditions(fields.get("when", ()))
    return Reply(read_words(fields), play, when, bool(fields.get("at_once")))


def read_conditions(rows: Any) -> tuple[Condition, ...]:
    """Parse conditions; each is a list of a field, a comparison and a value."""
    return tuple(Condition(*row) for row in rows)
