"""Lessons as data: their texts, their durations, and that each of their answers can occur."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from clerestory.engine import NATURE
from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from clerestory.engine.games import GAMES
from clerestory.i18n import patterns
from clerestory.i18n.glossary import words
from clerestory.i18n.languages import LANGUAGES
from clerestory.server.lessons import Lesson, NoLesson, NotAllowed, lesson, lessons
from clerestory.server.lessons.goals import Condition, Start, hold, most
from clerestory.server.lessons.lesson import Task, Words, read
from clerestory.server.lessons.words import DOMAIN
from tests.server.lessons.pupil import ALL, TRANSCRIPTS, answers, follow

WORDS_A_MINUTE = 200
SECONDS_A_CHOICE = 4  # to find a choice already made
SECONDS_A_PLY = 0.4  # during which the page shows what happens, at its usual pace
SENTENCE = re.compile(r"[^.!?]+")
OF_NATURE = {  # first words of the outcomes of chance
    "cathedral": {"advantage", "craftsman", "leave-out", "draw", "event", "roll"},
    "duel": {"face", "draw", "deal"},
}
NAMES = [one.name for one in ALL]


def words_of(one: Lesson) -> Iterator[Words]:
    for step in one.steps:
        yield step.words
        for answer in (*step.task.wrong, *step.task.tell) if step.task else ():
            yield answer.words


def read_minutes(one: Lesson) -> float:
    """Return the minutes of reading and choosing without mistakes; labels of actions are looked at, not read."""
    lines = (TRANSCRIPTS / f"{one.name}.txt").read_text().splitlines()
    read = [re.sub(r"\[.*\]$", "", line) for line in lines if not line.startswith(("*", ">", "    "))]
    choices, plies = (sum(line.startswith(sign) for line in lines) for sign in ">*")
    pauses = choices * SECONDS_A_CHOICE + plies * SECONDS_A_PLY
    return sum(len(line.split()) for line in read) / WORDS_A_MINUTE + pauses / 60


def test_the_first_lesson_takes_two_minutes_and_all_take_thirty() -> None:
    minutes = {one.name: read_minutes(one) for one in ALL}
    assert minutes["goal"] <= 2
    assert sum(minutes.values()) <= 30
    assert [one.name for one in ALL if minutes[one.name] > one.minutes] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", [DOMAIN, "explain", "first"])
def test_no_sentence_is_longer_than_25_words(domain: str, language: str) -> None:
    texts = patterns(domain, language).values()
    forms = [form for text in texts for form in (text.values() if isinstance(text, dict) else [text])]
    sentences = [sentence for form in forms for sentence in SENTENCE.findall(form)]
    assert [sentence for sentence in sentences if len(sentence.split()) > 25] == []


def test_every_text_is_used_and_every_key_has_a_text() -> None:
    said = {f"{one.name}.{words.say}" for one in ALL for words in words_of(one) if words.say}
    said |= {f"{name}.{key}" for name in NAMES for key in ("title", "about")}
    assert said == set(patterns(DOMAIN)) - {"again"}


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_every_answer_to_a_wrong_try_can_be_met(one: Lesson) -> None:
    wanted = {id(answer.words) for step in one.steps for answer in (step.task.wrong if step.task else ())}
    for seed in range(300):
        wanted -= {id(words) for words in met(one, Random(seed))}
        if not wanted:
            break
    assert not wanted


def met(one: Lesson, luck: Random) -> Iterator[Words]:
    """Yield the answers to a user who answers correctly up to one task, and then chooses at random."""
    right = answers(one)
    known = luck.randrange(len(right))
    course = follow(one, right[:known])
    while (open_ := course.actions()) and not course.mistakes:
        course.attempt(0, luck.choice(open_).text)
        yield from (scene.words for scene in course.scenes if scene.wrong and scene.words)


ANSWERED_AT_ONCE = [  # a lesson, tasks that are done before, a wrong try that would give the learner more to choose
    *(("places", done, "place red market") for done in (0, 1, 2, 3, 4, 5, 9)),
    *(("events", done, "place red market") for done in (0, 1)),
    ("gold", 1, "hire master_woodworker_1"),
]


@pytest.mark.parametrize(("name", "done", "wrong"), ANSWERED_AT_ONCE)
def test_a_wrong_try_is_answered_before_the_learner_chooses_again(name: str, done: int, wrong: str) -> None:
    one = lesson(name)
    assert follow(one, [*answers(one)[:done], wrong]).scenes[-1].wrong


def test_finishing_too_early_is_answered_before_the_next_round() -> None:
    course = follow(lesson("goal"), ["convert mortar_mixer 1", "convert mason_1 1", "finish"])
    assert [scene.wrong for scene in course.scenes] == [False, True]


def test_a_purchase_skips_the_steps_that_ask_for_it() -> None:
    one = lesson("places")
    before, after = (follow(one, answers(one)[:done]).step for done in (8, 9))
    assert (before, after) == (one.steps[13], one.steps[15])


def first_tries(one: Lesson, done: int) -> list[str]:
    """Return the learner's choices after some of the answers."""
    return [action.text for action in follow(one, answers(one)[:done]).actions()]


def test_the_card_that_is_shared_is_the_one_that_the_lesson_names() -> None:
    """For any claimed line; stopping at once loses the card, and flipping a seal wins it."""
    one = lesson("lines")
    courses = {claim: follow(one, [claim]) for claim in first_tries(one, 0)}
    right = [claim for claim, course in courses.items() if not course.mistakes]
    assert right == ["claim row 1", "claim column 2"]
    for claim in right:
        red, blue = (set(player["markers"]) for player in courses[claim].state.to_position()["duel"]["players"])
        assert red & blue == {"1.2"}
        for action in courses[claim].actions():
            tried = follow(one, [claim, action.text])
            assert [tried.mistakes, tried.stars()] == ([1, 0] if action.text == "stop" else [0, 3])


def test_the_lesson_says_truly_who_begins_the_next_round() -> None:
    one, luck = lesson("places"), Random(1)
    done = len(answers(one)) - 1
    for text in first_tries(one, done):
        course = follow(one, [*answers(one)[:done], text])
        state = course.lesson.positions[one.steps[-2].at].copy()
        state.play(text)
        while state.to_position()["cathedral"]["round"] == 1:
            state.play(state.draw(luck.randrange(1 << 32)) if state.turn == NATURE else state.legal_codes()[0])
        assert (state.to_position()["cathedral"]["starting_player"] == "red") == (not course.mistakes), text


def test_unknown_tries_and_lessons_are_rejected_with_the_known_ones() -> None:
    with pytest.raises(NotAllowed, match="'pass' is not allowed here; allowed: convert mortar_mixer 1") as caught:
        follow(lesson("goal"), ["pass"])
    assert caught.value.index == 0
    with pytest.raises(NoLesson, match="goal, workers"):
        lesson("cooking")


def test_the_maximum_is_taken_over_the_allowed_actions() -> None:
    course = follow(lesson("goal"), ["convert mortar_mixer 1"])
    task = course.step.task if course.step else None
    assert isinstance(task, Task)
    state = course.state
    points = state.to_position()["cathedral"]["players"][0]["vp"]
    assert most("players.0.vp", Start(state, task.allow)) == points + 2
    assert most("players.0.vp", Start(state, ("convert stonecutter *",))) == points + 1
    assert hold([Condition("players.0.vp", ">=", {"most": 2})], state, Start(state, task.allow))


def test_a_record_of_the_end_can_be_reviewed() -> None:
    one = lesson("two_rounds")
    record = follow(one, answers(one)).record()
    assert '"returns": [' in record[-1]


def test_the_path_leads_through_every_lesson_and_level_once() -> None:
    for game, steps in read("path.json").items():
        assert [step for step in steps if step.startswith("lesson ")] == [
            f"lesson {one.name}" for one in lessons(GAMES[game])
        ]
        assert [step for step in steps if step.startswith("level ")] == [f"level {level}" for level in range(1, 9)]


def test_every_kind_of_error_has_a_lesson_that_fits() -> None:
    for game, fitting in read("fitting.json").items():
        assert set(fitting.values()) <= {one.name for one in lessons(GAMES[game])}
        kinds = {key.removeprefix("action.") for key in words(game) if key.startswith("action.")}
        assert set(fitting) == kinds - OF_NATURE[game]


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_a_learner_who_chooses_at_random_can_always_go_on(one: Lesson) -> None:
    course, luck = follow(one, []), Random(one.name)
    for _ in range(200):
        if course.step is None:
            break
        open_ = course.actions()
        assert open_, course.state
        course.attempt(0, luck.choice(open_).text)


PRINT_LESSONS = """
import sys
from clerestory.engine import game
CATHEDRAL = game("cathedral", catalogue=sys.argv[1])
from clerestory.server.lessons import lessons
print(*(one.name for one in lessons(CATHEDRAL)))
"""
OF_THE_CATHEDRAL = [one.name for one in ALL if one.game.name == "cathedral"]


@pytest.mark.system
@pytest.mark.parametrize(
    ("changes", "withdrawn"),
    [
        ({}, []),
        ({"gives = { vp = 1 }": "gives = { vp = 2 }"}, []),
        ({'"lose_vp", vp = 2': '"lose_vp", vp = 12'}, []),
        ({"takes = { sand = 3 }": "takes = { sand = 9 }"}, ["goal"]),
    ],
    ids=["shipped", "points", "event", "takes"],
)
def test_lessons_that_other_cards_rule_out_are_withdrawn(
    changes: dict[str, str], withdrawn: list[str], tmp_path: Path
) -> None:
    text = CathedralCatalogue.shipped.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    cards = tmp_path / "cards.toml"
    cards.write_text(text)
    done = subprocess.run([sys.executable, "-c", PRINT_LESSONS, cards], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert [name for name in OF_THE_CATHEDRAL if name not in done.stdout.split()] == withdrawn
