"""What an action changed: everything that counts, each part with a cause, and nothing that the viewer cannot know."""

from collections import Counter
from collections.abc import Iterator

import pytest

from clerestory import texts
from clerestory.engine import GAMES, NATURE, Rng, State
from clerestory.engine.changes import Change, View, differences, told, totals
from clerestory.engine.games import LIST
from clerestory.engine.scoring import changes_of, point_sources, points_by_cause
from tests.engine.duel.scenes import reach

CASES = [(name, seats) for name in LIST for seats in (2, 3, 4) if seats in GAMES[name].seats]
TELLING = ("build", "convert", "use", "hire", "sell")  # actions that a random player should not miss


def plies(game: str, seats: int, seed: int) -> Iterator[tuple[State, str, State]]:
    """Yield each ply of a random game: the position before it, the action, the position after it."""
    state, luck = GAMES[game].new(seats, seed), Rng(seed)
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
        yield before, action.text, state.copy()


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_every_change_has_a_cause_and_they_add_up(game: str, seats: int) -> None:
    rules = LIST[game].changes
    for seed in range(2):
        for before, action, after in plies(game, seats, seed):
            views = before.observe(NATURE), after.observe(NATURE)
            found = changes_of(views[0], action, views[1])
            assert all(change.cause for change in found), (action, found)
            added: Counter[object] = Counter()
            for change in found:
                added[change.key] += change.amount
            for change in differences(View(views[0]), View(views[1]), rules.THINGS):
                if change.thing != "markers" or change.amount > 0:  # those on a table that is cleared are not told
                    assert added[change.key] == change.amount or change.thing == "grey_next", (action, change, found)


def test_workers_go_to_the_mill_and_come_back_for_causes_of_their_own() -> None:
    """Nobody loses a worker to the mill: they earn gold there, and are back after it."""
    away: Counter[int | None] = Counter()
    there: dict[str, int] = {"to_mill": 0, "from_mill": 0}
    for before, action, after in plies("cathedral", 3, 1):
        for change in changes_of(before.observe(NATURE), action, after.observe(NATURE)):
            assert change.cause != "mill" or change.thing == "gold"
            if change.cause in there and change.thing == "workers":
                away[change.seat] -= change.amount
                there[change.cause] += abs(change.amount)
                assert (change.amount < 0) == (change.cause == "to_mill")
                assert away[change.seat] == max(0, -change.amount)
    assert there["to_mill"] == there["from_mill"] > 0


def test_what_a_seal_shows_is_told_of_who_flipped_it_also_where_it_ends_the_conflict() -> None:
    ended, flipped = 0, None
    for before, action, after in plies("duel", 2, 1):
        flipped = before.turn if action.startswith("flip") else flipped
        if action.startswith("face"):
            views = before.observe(NATURE), after.observe(NATURE)
            shown = [(change.seat, change.amount) for change in changes_of(views[0], action, views[1])]
            assert (flipped, int(action.split()[1])) in shown or action == "face 0"
            ended += not after.to_position()["duel"]["step"].startswith("conflict")
    assert ended


def test_a_material_that_a_card_has_returned_is_told_as_the_card_s() -> None:
    """D42: the point goes with the material, which nobody has placed."""
    before = reach("william")
    after = before.copy()
    after.play(before.legal_actions()[0])
    found = changes_of(before.observe(NATURE), before.legal_actions()[0].text, after.observe(NATURE))
    lost = [change for change in found if change.amount < 0]
    assert [change.thing[:7] for change in lost] == ["points", "section"]
    assert {(change.cause, change.card) for change in lost} == {("card", "william_hamleigh")}


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_the_same_views_have_the_same_changes(game: str, seats: int) -> None:
    """The law: hidden cards are dealt again, and nothing that a viewer is told differs."""
    tried = 0
    for seed in range(1, 3):
        for before, action, after in plies(game, seats, seed):
            for eyes in range(NATURE, seats):
                view, then = before.observe(eyes), after.observe(eyes)
                world = view.deal(seed + 1)
                try:
                    world.play(action)
                except ValueError:
                    continue
                if world.observe(eyes) != then:
                    continue
                tried += world != after
                told = changes_of(world_before(view, seed + 1, eyes), action, world.observe(eyes))
                assert told == changes_of(view, action, then)
    assert tried > 0, "no world differed: the law has not been tried"


def world_before(view: State, seed: int, eyes: int) -> State:
    """Return what a viewer sees of another world that looks the same."""
    return view.deal(seed).observe(eyes)


def test_a_private_card_is_told_to_its_owner_only() -> None:
    """In `toy` an unknown card of a hand has no name; Ellen's owner alone is told of the coming event."""
    hands = Counter()
    for before, action, after in plies("toy", 3, 5):
        for eyes in range(3):
            for change in changes_of(before.observe(eyes), action, after.observe(eyes)):
                if change.thing == "hand":
                    assert bool(change.item) == (change.seat == eyes)
                    hands[eyes == change.seat] += 1
    assert hands[True]
    assert hands[False]
    shown: Counter[bool] = Counter()
    for seed in range(8):
        for before, action, after in plies("cathedral", 2, seed):
            for eyes in (NATURE, 0, 1):
                found = changes_of(before.observe(eyes), action, after.observe(eyes))
                owns = eyes >= 0 and "ellen" in after.to_position()["cathedral"]["players"][eyes]["advantages"]
                events = [change for change in found if change.thing == "event_deck"]
                assert owns or not events
                shown[bool(events)] += 1
    assert shown[True] > 0


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_points_by_cause_add_up_to_the_scores(game: str, seats: int) -> None:
    for seed in range(2):
        game_plies = list(plies(game, seats, seed))
        states = [game_plies[0][0], *(after for _, _, after in game_plies)]
        parts = points_by_cause(states, [action for _, action, _ in game_plies])
        assert [round(sum(seat.values()), 6) for seat in parts] == [round(score, 6) for score in states[-1].scores()]
        assert all(source for seat in parts for source, _ in seat)


def test_points_by_cause_agree_with_the_sources_that_a_position_tells() -> None:
    """Points that an event takes while the Priory gives as many are in the account, too."""
    cancelled = 0
    for seed in (0, 15, 45, 62):
        game_plies = list(plies("cathedral", 2, seed))
        states = [game_plies[0][0], *(after for _, _, after in game_plies)]
        parts = points_by_cause(states, [action for _, action, _ in game_plies])
        for causes, sources in zip(parts, point_sources(states[-1]), strict=True):
            lost = sum(points for points in causes.values() if points < 0)
            assert lost == sources.get("lost", 0)
            assert sum(points for (cause, _), points in causes.items() if cause == "craftsman") == sources["craftsman"]
        cancelled += sum(map(cancels, game_plies))
    assert cancelled > 0, "no ply of these games both gives and takes the same points"


def cancels(ply: tuple[State, str, State]) -> bool:
    """Return whether a player won and lost the same points, and nobody else's points changed."""
    before, after = (state.to_position()["cathedral"]["players"] for state in (ply[0], ply[2]))
    same = all(old["vp"] == new["vp"] for old, new in zip(before, after, strict=True))
    return same and any(old["vp_lost"] != new["vp_lost"] for old, new in zip(before, after, strict=True))


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_every_thing_cause_and_source_has_a_text(game: str, seats: int) -> None:
    for seed in range(2):
        for before, action, after in plies(game, seats, seed):
            for change in changes_of(before.observe(NATURE), action, after.observe(NATURE)):
                assert texts.has(game, f"thing.{change.thing}"), change
                assert texts.has(game, f"cause.{change.cause}"), change


def test_the_limit_of_gold_is_told() -> None:
    """A sale at 29 gold brings 1 of 6 gold; 5 are lost."""
    for seed in range(40):
        for before, action, after in plies("cathedral", 2, seed):
            for change in changes_of(before.observe(NATURE), action, after.observe(NATURE)):
                if change.lost and change.thing == "gold":
                    assert change.seat is not None
                    assert after.to_position()["cathedral"]["players"][change.seat]["gold"] <= 30
                    return
    pytest.fail("no gold was lost in 40 games")


def test_totals_add_up_what_has_the_same_cause() -> None:
    mason = Change(0, "vp", "", 2, "craftsman", "mason_1")
    assert totals([mason, mason._replace(card="mason_2"), mason]) == [
        mason._replace(amount=4),
        mason._replace(card="mason_2"),
    ]
    assert totals([mason, mason._replace(amount=-2)]) == []


def test_a_thing_that_no_field_is_would_be_noticed() -> None:
    assert not told(GAMES["toy"], 2, ("no such field",))
