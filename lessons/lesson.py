"""Lessons as data: lessons/GAME/NAME.json, in the order of lessons/lessons.json.

A lesson is a list of steps. A step may begin at a position of its own, force plies, say something, and set a task: what
the learner may do, and what must be true in the end.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from clerestory.engine.core import Game, State
from clerestory.engine.errors import BadPosition
from clerestory.lessons.goals import Condition

FOLDER = Path(__file__).resolve().parent  # of the files themselves, where the module is a link to one


class BadLesson(ValueError):
    """A file of a lesson is wrong; the message names the file and what is wrong in it."""


class NoLesson(ValueError):
    """There is no such lesson; the message lists those there are."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text, and what it is about.

    Attributes:
        say: key of the text, after the lesson's name; "" for none.
        light: places of the board that it is about.
        given: where its arguments come from, by name.
    """

    say: str = ""
    light: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said about a ply of a task.

    Attributes:
        words: the text.
        play: patterns of the ply; () for any.
        when: what must be true after it.
    """

    words: Words
    play: tuple[str, ...] = ()
    when: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """What the learner is to do.

    Attributes:
        goal: what must be true.
        until: when that is judged; () for after every ply.
        allow: patterns of the actions that the learner may choose.
        wrong: answers to tries that fail; the first that fits is said.
        tell: answers to plies in between, each said once.
        script: patterns of forced plies, of luck and of the opponent, each used once, in order, where it is legal.
        hints: whether hints are meant to be used.
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
    """One step of a lesson: a position, then forced plies, then words, then a task; each may be missing."""

    words: Words
    at: str = ""
    play: tuple[str, ...] = ()
    task: Task | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson.

    Attributes:
        name: unique among all games.
        game: what it teaches.
        number: among those of its game, from 1.
        minutes: how long it takes.
        seat: the learner's.
        habits: patterns of the opponent's actions, the preferred ones first, where no script names one.
        positions: what its steps begin at, by name.
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
    """Return the lessons of a game in their order; () if their positions are impossible with the cards in use.

    Raises BadLesson.
    """
    names = read("lessons.json").get(game.name, [])
    try:
        return tuple(read_lesson(game, name, number) for number, name in enumerate(names, 1))
    except BadPosition:  # the cards in use are others
        return ()


@cache
def read(name: str) -> Any:
    """Return what a JSON file of this folder holds."""
    return json.loads((FOLDER / name).read_text("utf-8"))


def read_lesson(game: Game, name: str, number: int) -> Lesson:
    """Return a lesson. Raises BadLesson, BadPosition."""
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
    """Return a position of a file: all its fields, or those that differ from another one. Raises BadPosition."""
    whole = dict(fields)
    if base := whole.pop("from", ""):
        whole = json.loads(json.dumps(read(f"{game.name}/positions/{base}.json"))) | whole
    for path, value in whole.pop("but", {}).items():
        put(whole, path, value)
    return game.from_position({"rules_revision": game.rules_revision, "catalogue": game.catalogue, game.name: whole})


def put(fields: Any, path: str, value: Any) -> None:
    """Set a field or an element by its path: `players.0.gold`. Raises KeyError for one that is not there."""
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
    """Return a step."""
    return Step(
        words=read_words(fields),
        at=fields.get("at", ""),
        play=tuple(fields.get("play", ())),
        task=read_task(fields["task"]) if "task" in fields else None,
    )


def read_words(fields: Mapping[str, Any]) -> Words:
    """Return the words of a step or an answer."""
    return Words(fields.get("say", ""), tuple(fields.get("light", ())), fields.get("with", {}))


def read_task(fields: Mapping[str, Any]) -> Task:
    """Return a task. Raises TypeError for a field that tasks lack."""
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
    """Return an answer."""
    return Reply(read_words(fields), tuple(fields.get("play", ())), read_conditions(fields.get("when", ())))


def read_conditions(rows: Any) -> tuple[Condition, ...]:
    """Return conditions; each is written as a list of its field, what is compared, and with what."""
    return tuple(Condition(*row) for row in rows)
