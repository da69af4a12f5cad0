"""Lessons in the terminal: listed, and played."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clerestory.cli import locale
from clerestory.cli.choosing import HELP, find_action, show_actions
from clerestory.cli.screen import screen
from clerestory.cli.solving import read
from clerestory.engine.games import GAMES
from clerestory.engine.scoring import changes_of
from clerestory.server.lessons import Course, Lesson, lessons
from clerestory.server.lessons.course import LessonView
from clerestory.server.lessons.words import about, said, title
from clerestory.server.rpc.translate import in_words


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
    """Play a lesson once, and return where it was left; None if it is to begin again."""
    course = Course(lesson)
    console.print(f"{locale.title(lesson.game)} {lesson.number}: {title(lesson, language)}\n", style="bold")
    tries = 0
    while show_scenes(console, course, language) and course.step is not None:
        typed = ask(console, course, language)
        if typed in (None, "quit"):
            break
        if typed == "restart":
            return None
        course.attempt(tries, str(typed))
        tries += 1
    return course


def show_scenes(console: Console, course: Course, language: str) -> bool:
    """Print what happened since the last action, and wait after each text; whether to go on."""
    for scene in course.scenes:
        if scene.action is not None:
            console.print(Text(f"  {played(scene)}", style="dim"))
        if words := said(course.lesson, scene.words, scene.state, language):
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
    changes = ", ".join(in_words(game, change) for change in found if change.amount)
    label = locale.label(game, scene.action)
    return locale.say("lesson.played", action=label, changes=changes) if changes else label


def ask(console: Console, course: Course, language: str) -> str | None:
    """Print the task, and return what is typed: an action, `restart` or `quit`; None at the end of input."""
    step, actions = course.step, course.actions()
    console.print(f"{locale.picture(course.state)}\n")
    if step is not None:
        console.print(said(course.lesson, step.words, course.state, language), style="bold")
    show_actions(console, course.state.game, actions)
    console.print(locale.say("lesson.help"))
    while (typed := read("> ")) not in (None, "quit", "restart"):
        if typed in HELP:
            console.print(locale.say("lesson.help"))
        elif found := find_action(console, course.state.game, actions, typed or ""):
            return found.text
    return typed
