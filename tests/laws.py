"""The laws of every game, stated once: each is a function (game, seats, seed) that asserts.

A law only uses a game's checked interface, so it can also be tried on deliberately broken games
(tests/engine/test_laws_can_fail.py).
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from clerestory.engine import NATURE, Rng

Law = Callable[[Any, int, int], None]

SAMPLES = 3000  # of a distribution compared with its odds
MAX_WORLDS = 60  # more are not counted one by one


def next_action(state: Any, rng: Rng) -> Any:
    """Return Nature's outcome, or any legal action."""
    if state.turn == NATURE:
        return state.draw(rng)
    legal = state.legal_actions()
    return legal[rng.below(len(legal))]


def walk(game: Any, seats: int, seed: int) -> Iterator[Any]:
    """Yield one random game as a single State, at every ply from the opening to the end."""
    rng = Rng(seed)
    state = game.new(seats, rng)
    yield state
    while not state.over:
        state.play(next_action(state, rng))
        yield state


def observers(state: Any) -> range:
    """Return an onlooker and every seat."""
    return range(NATURE, state.seats)


# -- actions and play ------------------------------------------------------------------------------


def legal_is_ascending_unique_and_never_empty(game: Any, seats: int, seed: int) -> None:
    for state in walk(game, seats, seed):
        codes = state.legal_codes()
        assert codes == sorted(set(codes))
        assert bool(codes) != state.over
        assert all(0 <= code < game.num_actions for code in codes)


def copies_are_independent(game: Any, seats: int, seed: int) -> None:
    rng = Rng(seed)
    for state in walk(game, seats, seed):
        before, copy = state.to_bytes(), state.copy()
        assert copy == state
        if not state.over:
            copy.play(next_action(copy, rng))
            assert copy.to_bytes() != before
        assert state.to_bytes() == before


def undo_restores_every_byte(game: Any, seats: int, seed: int) -> None:
    seen, state = [], None
    for state in walk(game, seats, seed):
        seen.append(state.to_bytes())
    assert state is not None
    for before in seen[-2::-1]:
        state.undo()
        assert state.to_bytes() == before


def games_end_in_time(game: Any, seats: int, seed: int) -> None:
    plies = sum(1 for _ in walk(game, seats, seed)) - 1
    assert 0 < plies <= game.max_plies


def equal_seeds_give_equal_bytes(game: Any, seats: int, seed: int) -> None:
    first = [state.to_bytes() for state in walk(game, seats, seed)]
    assert first == [state.to_bytes() for state in walk(game, seats, seed)]
    assert any(game.new(seats, other) != game.new(seats, seed) for other in range(seed + 1, seed + 20))


def positions_keep_every_invariant(game: Any, seats: int, seed: int) -> None:
    for state in walk(game, seats, seed):
        assert state.check() == 0
        for seat in observers(state):
            assert state.observe(seat).check() == 0
            assert state.observe(seat).determinize(seed).check() == 0


def results_agree(game: Any, seats: int, seed: int) -> None:
    *_, end = walk(game, seats, seed)
    returns, margins = end.win_shares(), end.margins()
    assert abs(sum(returns) - 1) < 1e-12
    assert min(returns) >= 0
    assert len(returns) == len(margins) == seats
    assert all(share == 0 for share, margin in zip(returns, margins, strict=True) if margin < 0)
    assert all(share > 0 for share, margin in zip(returns, margins, strict=True) if margin > 0)
    assert end.current_scores() == end.final_scores()


def everybody_sees_the_points(game: Any, seats: int, seed: int) -> None:
    for state in walk(game, seats, seed):
        assert all(state.observe(seat).current_scores() == state.current_scores() for seat in observers(state))


# -- texts -----------------------------------------------------------------------------------------


def every_action_has_its_text(game: Any, seats: int, seed: int) -> None:
    actions = [game.action(code) for code in range(game.num_actions)]
    assert [game.parse_action(action.text) for action in actions] == actions
    assert [game.parse_action(f"  {action.text.replace(' ', '   ')} ") for action in actions] == actions
    assert len({action.text for action in actions}) == game.num_actions
    assert len({action.label.strip() for action in actions} - {""}) == game.num_actions


def positions_round_trip(game: Any, seats: int, seed: int) -> None:
    for state in walk(game, seats, seed):
        for position in (state, *map(state.observe, observers(state))):
            assert game.from_position(position.to_json()) == position
            assert game.from_position(position.to_position()) == position


# -- hidden information ----------------------------------------------------------------------------


def observing_twice_changes_nothing(game: Any, seats: int, seed: int) -> None:
    for state in walk(game, seats, seed):
        for seat in observers(state):
            once = state.observe(seat)
            assert once.observe(seat) == once
            assert not once.history


def dealing_agrees_with_what_was_seen(game: Any, seats: int, seed: int) -> None:
    rng = Rng(seed)
    for state in walk(game, seats, seed):
        for seat in observers(state):
            once = state.observe(seat)
            dealt = once.determinize(rng)
            assert dealt.observe(seat) == once
            assert dealt.determinize(rng) == dealt


def deals_are_uniform(game: Any, seats: int, seed: int) -> None:
    rng, counted = Rng(seed), 0
    for state in walk(game, seats, seed):
        for seat in observers(state):
            once = state.observe(seat)
            worlds = Counter(once.determinize(rng).to_bytes() for _ in range(4 * MAX_WORLDS))
            if 1 < len(worlds) <= MAX_WORLDS and counted < 4:
                worlds = Counter(once.determinize(rng).to_bytes() for _ in range(SAMPLES))
                assert_fits(worlds, dict.fromkeys(worlds, 1 / len(worlds)))
                counted += 1
    opening = game.new(seats, seed).observe(NATURE)
    assert len({opening.determinize(rng).to_bytes() for _ in range(20)}) > 1


def seats_decide_by_what_they_see(game: Any, seats: int, seed: int) -> None:
    for state in walk(game, seats, seed):
        if not state.over:
            once = state.observe(max(state.turn, NATURE))
            assert once.turn == state.turn
            assert once.legal_codes() == state.legal_codes()


def watching_is_playing_on_what_is_known(game: Any, seats: int, seed: int) -> None:
    rng = Rng(seed)
    for state in walk(game, seats, seed):
        for seat in observers(state) if not state.over else ():
            action, known, after = next_action(state, rng), state.observe(seat), state.copy()
            known.play(action)
            after.play(action)
            if known.observe(seat) != after.observe(seat):  # an event shown only to this seat, which must enter it
                outcomes = known.private_outcomes(seat)
                assert after.observe(seat) in [told(known, seat, outcome) for outcome in outcomes]
            assert known.observe(NATURE) == after.observe(NATURE)


def told(known: Any, seat: int, outcome: Any) -> Any:
    """Return the view of a seat, with the event that it has been shown entered."""
    view = known.observe(seat)
    view.set_private_outcome(seat, outcome)
    return view


def keys_are_equal_when_views_are(game: Any, seats: int, seed: int) -> None:
    views: dict[int, bytes] = {}
    keys: dict[bytes, int] = {}
    for game_seed in range(seed, seed + 5):
        for state in walk(game, seats, game_seed):
            for seat in observers(state):
                once = state.observe(seat)
                key, view = state.key(seat), once.to_bytes()
                assert once.key(seat) == once.determinize(game_seed).key(seat) == key
                assert views.setdefault(key, view) == view
                assert keys.setdefault(view, key) == key
    assert len(views) > 5


# -- luck ------------------------------------------------------------------------------------------


def odds_sum_to_one(game: Any, seats: int, seed: int) -> None:
    for state in walk(game, seats, seed):
        if state.turn == NATURE:
            odds = state.odds()
            assert len(odds) == len(state.legal_codes())
            assert abs(sum(odds) - 1) < 1e-9
            assert min(odds) > 0
            assert state.observe(NATURE).odds() == odds


def odds_agree_with_draws(game: Any, seats: int, seed: int) -> None:
    """With an onlooker's knowledge, both from newly dealt decks and without dealt decks."""
    rng, kinds = Rng(seed), set()
    for state in walk(game, seats, seed):
        kind = state.game.parse_action(state.draw(0).text).text.split()[0] if state.turn == NATURE else ""
        if kind and kind not in kinds and len(state.legal_codes()) > 1:
            kinds.add(kind)
            once = state.observe(NATURE)
            odds = dict(zip(state.legal_codes(), state.odds(), strict=True))
            assert_fits(Counter(once.draw(rng).code for _ in range(SAMPLES)), odds)
            assert_fits(Counter(once.determinize(rng).draw(rng).code for _ in range(SAMPLES)), odds)
    assert kinds


def any_outcome_can_come_up(game: Any, seats: int, seed: int) -> None:
    for state in walk(game, seats, seed):
        for code in state.legal_codes() if state.turn == NATURE else ():
            after = state.copy()
            after.play(code)
            assert after.check() == 0


def assert_fits(counts: Counter[Any], odds: dict[Any, float]) -> None:
    """Require Pearson's chi-squared to be within 6 of its standard deviations of its mean."""
    total = counts.total()
    assert set(counts) <= set(odds)
    chi2 = sum((counts[value] - total * odd) ** 2 / (total * odd) for value, odd in odds.items())
    freedom = len(odds) - 1
    assert chi2 <= freedom + 6 * (2 * freedom) ** 0.5, f"{chi2:.1f} with {freedom} degrees of freedom: {counts}"


# -- the guide -------------------------------------------------------------------------------------


def guides_are_sane(game: Any, seats: int, seed: int) -> None:
    state = None
    for state in walk(game, seats, seed) if game.has_guide else ():
        once = state.observe(max(state.turn, NATURE))
        assert once.value() == state.value()
        assert all(abs(value) < 1000 for value in state.value())
        weights = state.weights()
        assert len(weights) == (0 if state.turn < 0 else len(state.legal_codes()))
        assert all(0 < weight < float("inf") for weight in weights)
        assert all(list(state.features(0)) == list(state.features(seat)) for seat in range(seats))
    if state is not None:
        values = state.value()
        best_others = [max(values[:seat] + values[seat + 1 :]) for seat in range(seats)]
        margins = [round(value - other, 9) for value, other in zip(values, best_others, strict=True)]
        assert margins == list(state.margins())


LAWS: tuple[Law, ...] = (
    legal_is_ascending_unique_and_never_empty,
    copies_are_independent,
    undo_restores_every_byte,
    games_end_in_time,
    equal_seeds_give_equal_bytes,
    positions_keep_every_invariant,
    results_agree,
    everybody_sees_the_points,
    every_action_has_its_text,
    positions_round_trip,
    observing_twice_changes_nothing,
    dealing_agrees_with_what_was_seen,
    deals_are_uniform,
    seats_decide_by_what_they_see,
    watching_is_playing_on_what_is_known,
    keys_are_equal_when_views_are,
    odds_sum_to_one,
    odds_agree_with_draws,
    any_outcome_can_come_up,
    guides_are_sane,
)
