"""Take-backs: who must agree, which actions cannot be taken back, and which have revealed something."""

from itertools import pairwise

import pytest

from clerestory.engine import GAMES, NATURE
from clerestory.server.games import takebacks
from clerestory.server.games.log import Entry, EntryKind, TakeBacks
from clerestory.server.games.takebacks import shows
from clerestory.server.games.viewer import Viewer
from clerestory.service_errors import Reason
from tests.laws import walk
from tests.server.games.table import NOW, hosted, play, play_text, played, refused, take_back


@pytest.mark.parametrize(("seats", "people"), [("pb", (0,)), ("pp", (0, 1))], ids=["against a bot", "at one screen"])
def test_those_who_need_ask_nobody_take_back_at_once_and_once(seats: str, people: tuple[int, ...]) -> None:
    game, ply = played(seats)
    version = game.version
    after = take_back(game, ply, *people)
    assert (game.ply, game.turn, game.version) == (ply, 0, after)
    assert game.entries[-1].kind == EntryKind.TAKEN_BACK
    assert takebacks.take_back(game, Viewer(people), version, ply, False, NOW) == after == version + 1


def test_other_people_are_asked() -> None:
    game, ply = played("ppp")
    take_back(game, ply, 0)
    assert game.proposal is not None
    assert (game.ply, game.missing(game.proposal)) == (ply + 1, [1, 2])
    take_back(game, ply, 2)
    assert game.missing(game.proposal) == [1]
    take_back(game, ply, 1)
    assert (game.ply, game.proposal) == (ply, None)
    assert (game.entries[-1].kind, game.entries[-1].seat) == (EntryKind.TAKEN_BACK, 0)


def test_a_proposal_is_declined_or_lapses_with_the_next_action() -> None:
    game, ply = played("ppp")
    take_back(game, ply, 0)
    take_back(game, ply, 1, decline=True)
    assert (game.ply, game.proposal) == (ply + 1, None)
    take_back(game, ply, 0)
    assert game.proposal is not None
    play(game, Viewer((1,)))
    assert game.proposal is None


def test_a_repeated_answer_about_a_take_back_has_its_first_result() -> None:
    game, ply = played("pppp")
    results = []
    for seats, decline in (((0,), False), ((0,), True), ((0, 1), False), ((2,), False), ((3,), False)):
        asked = Viewer(seats), game.version, ply, decline
        results.append((asked, takebacks.take_back(game, *asked, NOW)))
    assert game.ply == ply
    for asked, after in results:
        assert takebacks.take_back(game, *asked, NOW) == after


def test_to_decline_is_no_repetition_of_asking() -> None:
    game, ply = played("pp")
    version = game.version
    take_back(game, ply, 0)
    error = refused(lambda: takebacks.take_back(game, Viewer((0,)), version, ply, True, NOW))
    assert error.reason == Reason.STALE_VERSION


@pytest.mark.parametrize("rule", [TakeBacks.NEVER, TakeBacks.FAIR])
def test_a_chance_event_is_not_taken_back(rule: TakeBacks) -> None:
    game, ply = played("pp", 3, take_backs=rule)
    assert EntryKind.DRAWN in {entry.kind for entry in game.line[ply:]}
    assert refused(lambda: take_back(game, ply, 0, 1)).reason == Reason.TAKE_BACK_REFUSED


def test_after_a_take_back_the_same_actions_meet_the_same_chance_events() -> None:
    game = hosted(take_backs=TakeBacks.ALL)
    before, version = game.ply, game.version
    while game.ply < before + 4:
        play(game)
    line = [entry.text for entry in game.line]
    take_back(game, before, 0, 1)
    assert game.ply == before
    assert game.version > version
    while game.ply < len(line):
        play_text(game, line[game.ply])
    assert [entry.text for entry in game.line] == line


REVEALED = [
    ("pbp", "play", TakeBacks.FAIR, False),  # everybody knows now what the bot had in its hand
    ("pbp", "fold", TakeBacks.FAIR, True),  # which shows nothing
    ("pbp", "play", TakeBacks.ALL, True),
    ("ppp", "play", TakeBacks.FAIR, True),  # the person who showed the card agrees
]


@pytest.mark.parametrize(("seats", "word", "rule", "allowed"), REVEALED)
def test_a_card_that_a_bot_showed_is_not_taken_back(seats: str, word: str, rule: TakeBacks, allowed: bool) -> None:
    game = hosted(seats=seats, take_backs=rule)
    ply = game.ply
    play_text(game, "fold")
    text = next(action.text for action in game.position.legal_actions() if action.text.startswith(word))
    game.add(Entry(EntryKind.PLAYED, 1, text, NOW))
    assert (game.turn, game.ply) == (2, ply + 2)
    if allowed:
        take_back(game, ply, 0, 1, 2)
        assert game.ply == ply
    else:
        before = list(game.entries)
        assert refused(lambda: take_back(game, ply, 0, 1, 2)).reason == Reason.TAKE_BACK_REFUSED
        assert game.entries == before


def told(game: str, seats: int, seed: int) -> set[tuple[str, bool]]:
    """Return the kinds of actions that reveal something to seat 0, and whether seat 0 played them."""
    states = (state.copy(history=True) for state in walk(GAMES[game], seats, seed))
    found = set()
    for before, after in pairwise(states):
        if before.turn != NATURE:
            text = after.history[-1].text
            if shows(before, text, after, 0):
                found.add((text.split()[0], before.turn == 0))
    return found


@pytest.mark.parametrize(("game", "seats"), [("cathedral", 2), ("cathedral", 4), ("duel", 2)])
def test_nothing_but_chance_reveals_in_games_without_hands(game: str, seats: int) -> None:
    assert told(game, seats, 1) == set()


def test_a_card_of_a_hand_is_shown_to_others_alone_and_a_pass_shows_nothing() -> None:
    assert set().union(*(told("toy", 3, seed) for seed in range(20))) == {("play", False)}
