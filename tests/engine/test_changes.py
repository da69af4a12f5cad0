"""The changes of an action: complete, each part with a cause, and without what the viewer cannot know."""

from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from clerestory import i18n as texts
from clerestory.engine import GAMES, NATURE, Rng, State
from clerestory.engine.changes import Change, View, differences, totals
from clerestory.engine.games import LIST
from clerestory.engine.scoring import changes_of, point_sources, points_by_cause
from tests.engine.duel.oracle_scenes import in_turn, play_all
from tests.engine.duel.scenes import reach

CASES = [(name, seats) for name in LIST for seats in GAMES[name].seats]
TELLING = ("build", "convert", "use", "hire", "sell")  # actions that a random player should not miss
Ply = tuple[State, str, State]  # the position before an action, its text, the position after it


@cache
def game_of(game: str, seats: int, seed: int) -> list[Ply]:
    state, luck, plies = GAMES[game].new(seats, seed), Rng(seed), []
    while not state.over:
        before = state.copy()
        if state.turn == NATURE:
            action = state.draw(luck)
        else:
            legal = state.legal_actions()
            telling = [one for one in legal if one.text.split()[0] in TELLING]
            legal = tuple(telling) if telling and luck.below(3) else legal
            action = legal[luck.below(len(legal))]
        state.play(action)
        plies.append((before, action.text, state.copy()))
    return plies


def seen(ply: Ply, eyes: int = NATURE) -> list[Change]:
    before, action, after = ply
    return list(changes_of(before.observe(eyes), action, after.observe(eyes)))


def games(game: str, seats: int, seeds: range) -> Iterator[tuple[Ply, list[Change]]]:
    """Yield each ply of some games, and the changes that an onlooker sees."""
    for seed in seeds:
        for ply in game_of(game, seats, seed):
            yield ply, seen(ply)


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_every_change_has_a_cause_and_a_text_and_they_add_up(game: str, seats: int) -> None:
    for (before, action, after), found in games(game, seats, range(2)):
        added: Counter[object] = Counter()
        for change in found:
            added[change.key] += change.amount
            assert texts.has(game, f"thing.{change.thing}"), change
            assert texts.has(game, f"cause.{change.cause}"), change
        views = View(before.observe(NATURE)), View(after.observe(NATURE))
        for change in differences(*views, LIST[game].changes.THINGS):
            if change.thing != "markers" or change.amount > 0:  # a cleared table is not reported
                assert added[change.key] == change.amount or change.thing == "grey_next", (action, change, found)


def test_workers_go_to_the_mill_and_come_back_for_causes_of_their_own() -> None:
    """Sending workers to the mill is not a loss: they earn gold there, and return afterwards."""
    away: Counter[int | None] = Counter()
    there = {"to_mill": 0, "from_mill": 0}
    for _, found in games("cathedral", 3, range(1, 2)):
        for change in found:
            assert change.cause != "mill" or change.thing == "gold"
            if change.cause in there and change.thing == "workers":
                away[change.seat] -= change.amount
                there[change.cause] += abs(change.amount)
                assert (change.amount < 0) == (change.cause == "to_mill")
                assert away[change.seat] == max(0, -change.amount)
    assert there["to_mill"] == there["from_mill"] > 0


def test_what_a_seal_shows_is_said_of_who_flipped_it_also_where_it_ends_the_conflict() -> None:
    ended, flipped = 0, None
    for (before, action, after), found in games("duel", 2, range(1, 2)):
        flipped = before.turn if action.startswith("flip") else flipped
        if action.startswith("face"):
            shown = [(change.seat, change.amount) for change in found]
            assert (flipped, int(action.split()[1])) in shown or action == "face 0"
            ended += not after.to_position()["duel"]["step"].startswith("conflict")
    assert ended


def test_a_material_that_a_card_has_returned_is_shown_as_the_cards() -> None:
    """D42: the point goes with the material, which was not placed."""
    before = reach("william")
    after, action = before.copy(), before.legal_actions()[0]
    after.play(action)
    lost = [change for change in seen((before, action.text, after)) if change.amount < 0]
    assert [change.thing[:7] for change in lost] == ["points", "section"]
    assert {(change.cause, change.card) for change in lost} == {("card", "william_hamleigh")}


def test_what_an_open_use_brings_is_shown_as_its_cards() -> None:
    """D48: a craftsman continues after a card that gave gold for it, without a separate step."""
    red = {"gold": 2, "raw": ["wood"] * 2, "once": ["king_stephen"]}
    before = in_turn("red", ["carpenter"], phase=2, round_=2, red=red)
    play_all(before, "use carpenter", "convert wood 1", "play king_stephen")
    assert "can go on: carpenter" in str(before.state).casefold()
    after = before.state.copy()
    after.play("convert wood 1")
    found = seen((before.state, "convert wood 1", after))
    assert {(change.thing, change.cause, change.card) for change in found} == {
        (thing, "card", "carpenter") for thing in ("gold", "camp", "materials")
    }


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_the_same_views_have_the_same_changes(game: str, seats: int) -> None:
    """The law: if hidden cards are dealt again, a viewer sees the same changes."""
    tried = 0
    for before, action, after in game_of(game, seats, 1):
        for eyes in range(NATURE, seats):
            view, then = before.observe(eyes), after.observe(eyes)
            dealt = view.determinize(2)
            world = dealt.copy()
            if action not in [one.text for one in world.legal_actions()]:
                continue
            world.play(action)
            if world.observe(eyes) == then:
                tried += world != after
                assert seen((dealt, action, world), eyes) == changes_of(view, action, then)
    assert tried > 0, "no world differed: the law has not been tried"


def test_a_private_card_is_shown_to_its_owner_only() -> None:
    """In `toy` an unknown card of a hand has no name; only Ellen's owner sees the coming event."""
    hands, shown = Counter[bool](), Counter[bool]()
    for ply in game_of("toy", 3, 5):
        for eyes in range(3):
            for change in seen(ply, eyes):
                if change.thing == "hand":
                    assert bool(change.item) == (change.seat == eyes)
                    hands[eyes == change.seat] += 1
    for ply in (ply for seed in (3, 6) for ply in game_of("cathedral", 2, seed)):
        for eyes in (NATURE, 0, 1):
            owns = eyes >= 0 and "ellen" in ply[2].to_position()["cathedral"]["players"][eyes]["advantages"]
            told_of_event = any(change.thing == "event_deck" for change in seen(ply, eyes))
            assert owns or not told_of_event
            shown[told_of_event] += 1
    assert min(hands[True], hands[False], shown[True], shown[False]) > 0


def parts_of(game: str, seats: int, seed: int) -> tuple[list[dict[tuple[str, str], float]], State]:
    """Return the points of each seat by cause and card, and the end of the game."""
    plies = game_of(game, seats, seed)
    states = [plies[0][0], *(after for _, _, after in plies)]
    return points_by_cause(states, [action for _, action, _ in plies]), states[-1]


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_points_by_cause_add_up_to_the_scores(game: str, seats: int) -> None:
    for seed in range(2):
        parts, end = parts_of(game, seats, seed)
        assert [sum(seat.values()) for seat in parts] == pytest.approx(list(end.final_scores()))
        assert all(source for seat in parts for source, _ in seat)


def test_points_by_cause_agree_with_the_sources_in_the_position() -> None:
    """Points that an event takes while the Priory gives the same number are in the account, too."""
    cancelled = 0
    for seed in (0, 15, 45, 62):
        parts, end = parts_of("cathedral", 2, seed)
        for causes, sources in zip(parts, point_sources(end), strict=True):
            assert sum(points for points in causes.values() if points < 0) == sources.get("lost", 0)
            assert sum(points for (cause, _), points in causes.items() if cause == "craftsman") == sources["craftsman"]
        cancelled += sum(map(cancels, game_of("cathedral", 2, seed)))
    assert cancelled > 0, "no ply of these games both gives and takes the same points"


def cancels(ply: Ply) -> bool:
    """Whether a player won and lost the same points, and no other player's points changed."""
    before, after = (state.to_position()["cathedral"]["players"] for state in (ply[0], ply[2]))
    same = all(old["vp"] == new["vp"] for old, new in zip(before, after, strict=True))
    return same and any(old["vp_lost"] != new["vp_lost"] for old, new in zip(before, after, strict=True))


def test_gold_beyond_the_limit_is_shown_as_lost() -> None:
    """A sale at 29 gold gives 1 of 6 gold; 5 are lost."""
    for (_, _, after), found in games("cathedral", 2, range(40)):
        for change in found:
            if change.lost and change.thing == "gold":
                assert change.seat is not None
                assert after.to_position()["cathedral"]["players"][change.seat]["gold"] == 30
                return
    pytest.fail("no gold was lost in 40 games")


def test_totals_add_up_what_has_the_same_cause() -> None:
    mason = Change(0, "vp", "", 2, "craftsman", "mason_1")
    other = mason._replace(card="mason_2")
    assert totals([mason, other, mason]) == [mason._replace(amount=4), other]
    assert totals([mason, mason._replace(amount=-2)]) == []
