"""Lessons and puzzles in the terminal: lists and plays lessons; chooses and shows puzzles, and judges answers."""

import json
from collections.abc import Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from clerestory.cli import locale
from clerestory.cli.options import BadOption, argument, typed_line
from clerestory.cli.screen import HELP, find_action, screen, show_actions
from clerestory.engine import Game, Rng
from clerestory.engine.games import GAMES
from clerestory.engine.scoring import changes_of
from clerestory.search.reasons import in_english
from clerestory.search.review.puzzle import PLAN_SEPARATOR, BadTry, Puzzle, puzzle, puzzles
from clerestory.seeds import random_seed
from clerestory.server.lessons import Course, Lesson, lessons
from clerestory.server.lessons.course import LessonView
from clerestory.server.lessons.words import about, format_words, title
from clerestory.server.rpc.locale import translated_text
from clerestory.server.rpc.translate import in_words as change_in_words


def read(prompt: str) -> str | None:
    """Return the next line typed, None at the end of input. Raises BadOption if a standard stream is closed."""
    try:
        return typed_line(prompt).strip()
    except (EOFError, UnicodeDecodeError):
        return None


# -- lessons ---------------------------------------------------------------------------------------


def list_lessons(language: str) -> None:
    """Print the lessons of all games."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for one in (one for game in GAMES.values() for one in lessons(game)):
        minutes, name = locale.say("lesson.minutes", count=one.minutes), f"{locale.title(one.game)} {one.number}"
        table.add_row(*locale.cells([name, one.name, minutes, about(one, language)]))
    console = screen()
    console.print(table)
    console.print(Text(locale.say("lesson.how"), style="dim"))


def teach(lesson: Lesson, language: str) -> None:
    """Play a lesson until it is done, or left."""
    console = screen()
    while (course := attend(console, lesson, language)) is None:
        console.print(locale.say("lesson.again"), style="bold")
    if course.stars():
        console.print(locale.say("lesson.done", stars=course.stars()), style="bold")


def attend(console: Console, lesson: Lesson, language: str) -> Course | None:
    """Play a lesson once, and return the course at its end; None to start again."""
    course = Course(lesson)
    console.print(f"{locale.title(lesson.game)} {lesson.number}: {title(lesson, language)}\n", style="bold")
    tries = 0
    while show_scenes(console, course, language) and course.step is not None:
        typed = ask_action(console, course, language)
        if typed in (None, "quit"):
            break
        if typed == "restart":
            return None
        course.attempt(tries, str(typed))
        tries += 1
    return course


def show_scenes(console: Console, course: Course, language: str) -> bool:
    """Print the events since the last action, and wait after each text; return whether to go on."""
    for scene in course.scenes:
        if scene.action is not None:
            console.print(Text(f"  {played(scene)}", style="dim"))
        if words := format_words(course.lesson, scene.words, scene.state, language):
            console.print(f"{words}\n", style="bold red" if scene.wrong else "")
            if not scene.wrong and read(locale.say("lesson.enter")) is None:
                return False
    return True


def played(scene: LessonView) -> str:
    """Return what was played, and what it changed."""
    if scene.action is None or scene.before is None:
        return ""
    state, game = scene.before, scene.state.game
    found = changes_of(state, scene.action.text, scene.state)
    changes = ", ".join(change_in_words(game, change) for change in found if change.amount)
    label = locale.label(game, scene.action)
    return locale.say("lesson.played", action=label, changes=changes) if changes else label


def ask_action(console: Console, course: Course, language: str) -> str | None:
    """Print the task, and return the input: an action, `restart` or `quit`; None at the end of input."""
    step, actions = course.step, course.actions()
    console.print(f"{locale.picture(course.state)}\n")
    if step is not None:
        console.print(format_words(course.lesson, step.words, course.state, language), style="bold")
    show_actions(console, course.state.game, actions)
    console.print(locale.say("lesson.help"))
    while (typed := read("> ")) not in (None, "quit", "restart"):
        if typed in HELP:
            console.print(locale.say("lesson.help"))
        elif found := find_action(console, course.state.game, actions, typed or ""):
            return found.text
    return typed


# -- puzzles ---------------------------------------------------------------------------------------


def show_puzzle(one: Puzzle, action: str | None, *, as_json: bool) -> None:
    """Show a puzzle, or the verdict on an action. Raises BadOption if that is not legal."""
    if action is not None:
        judge(one, action, as_json=as_json)
    elif as_json:
        typer.echo(json.dumps(as_fields(one), indent=2))
    else:
        ask_puzzle(one, screen())


def chosen(game: Game, number: int | None, level: int | None, seats: int | None, seed: int | None) -> Puzzle:
    """Return the puzzle of a number, for None one of those that match. Raises BadOption, NoPuzzle."""
    if number is None:
        return drawn(game, level, seats, seed)
    for name, given in {"--level": level, "--seats": seats, "--seed": seed}.items():
        if given is not None:
            raise BadOption(f"{name}: cannot be combined with the number of a puzzle")
    with argument("NUMBER"):
        return puzzle(game, number)


def drawn(game: Game, level: int | None, seats: int | None, seed: int | None) -> Puzzle:
    """Return one of the puzzles that match. Raises BadOption if none does."""
    fitting = [one for one in puzzles(game) if level in (None, one.level) and seats in (None, one.seats)]
    if not fitting:
        asked = [f"is of level {level}"] * (level is not None) + [f"has {seats} players"] * (seats is not None)
        raise BadOption(f"no puzzle of {game.name} {' and '.join(asked) or 'is shipped'}; leave out --level or --seats")
    return fitting[Rng(random_seed() if seed is None else seed).below(len(fitting))]


def as_fields(one: Puzzle) -> dict[str, Any]:
    """Return a puzzle for programs, without its answer."""
    return {
        "puzzle": one.number,
        "game": one.game.name,
        "level": one.level,
        "exact": one.exact,
        "seat": one.state.turn,
        "position": one.position,
    }


def judge(one: Puzzle, typed: str, *, as_json: bool) -> None:
    """Print the verdict on an action or a plan. Raises BadOption if it is not legal."""
    texts = read_try(one, typed)
    right, loss = one.solved_by(texts), one.loss(texts)
    if as_json:
        verdict = {"puzzle": one.number, "action": typed, "right": right, "loss": round(loss, 4)}
        typer.echo(json.dumps(verdict | {"answer": one.best, "reason": reason(one)}))
        return
    screen().print(answer(one) if right else wrong(loss))


def read_try(one: Puzzle, typed: str) -> Sequence[str]:
    """Return the actions of a try that is typed at once. Raises BadOption for an illegal one."""
    texts = [text for part in typed.split(PLAN_SEPARATOR.strip()) if (text := part.strip())] or [typed]
    for number, text in enumerate(texts):
        if one.is_whole(texts[:number]):
            raise BadOption(f"--try: {text[:80]!r} comes after the end of the answer; leave it out")
    try:
        return one.tried(texts, ended=False)
    except BadTry as error:
        answers = ", ".join(legal_after(one, texts[: error.number]))
        text = texts[error.number][:80]
        raise BadOption(f"--try: {text!r} is no legal action there; there are {answers}") from None


def legal_after(one: Puzzle, texts: Sequence[str]) -> list[str]:
    """Return the texts of the legal actions after some actions."""
    state = one.state
    for text in texts:
        state.play(text)
    return sorted(action.text for action in state.legal_actions())


def ask_puzzle(one: Puzzle, console: Console) -> None:
    """Show a puzzle, and judge what is typed until it is solved."""
    name = locale.seat(one.game, one.state.turn)
    console.print(f"{locale.picture(one.state)}\n")
    heading = locale.say("puzzle.title", number=one.number, game=locale.title(one.game), level=one.level)
    console.print(heading, style="bold")
    console.print(locale.say("puzzle.plan" if one.is_plan else "puzzle.action", who=name))
    show_actions(console, one.game, one.state.legal_actions())
    show_help(console)
    while texts := tried(one, console, f"{name}> "):
        if one.solved_by(texts):
            console.print(answer(one))
            return
        console.print(wrong(one.loss(texts)))
    if texts is not None:
        console.print(answer(one))


def tried(one: Puzzle, console: Console, prompt: str) -> list[str] | None:
    """Return the actions of the next try, one or a plan; [] to show the answer, None to leave."""
    state, texts = one.state, list[str]()
    while not one.is_whole(texts):
        typed = read(prompt)
        if typed in (None, "quit", "show"):
            return [] if typed == "show" else None
        if typed in HELP:
            show_help(console)
            continue
        found = find_action(console, one.game, state.legal_actions(), typed or "")
        if found is not None:
            state.play(found.text)
            texts.append(found.text)
            console.print("" if one.is_whole(texts) else locale.say("puzzle.goes_on"))
    return texts


def show_help(console: Console) -> None:
    """Say what can be typed."""
    console.print(Text(locale.say("puzzle.help"), style="dim"))


def wrong(loss: float) -> str:
    """Return the message for a wrong action."""
    return locale.say("puzzle.wrong", loss=locale.figure(100 * loss, 1))


def answer(one: Puzzle) -> str:
    """Return the answer with its reason and certainty."""
    how = locale.say("puzzle.exact" if one.exact else "puzzle.searched")
    best = in_words(one) if not locale.is_english() else f"{in_words(one)} ({one.best})"
    next_best = locale.say("puzzle.next_best", loss=locale.figure(100 * one.next_best_loss, 1), how=how)
    reasons = [translated_text(reason, one.game) for reason in one.reasons]
    return " ".join([locale.say("puzzle.best", what=best), *reasons, next_best])


def in_words(one: Puzzle) -> str:
    """Return the answer as the labels of its actions."""
    first, *others = (locale.label(one.game, action) for action in one.answer)
    for other in others:
        first = locale.say("puzzle.then", first=first, next=other)
    return first


def reason(one: Puzzle) -> str:
    """Return the gains and losses of the answer, in English."""
    return in_english(one.reasons, one.game.name)
