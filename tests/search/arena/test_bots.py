"""Every bot is legal, reproducible, ignorant of hidden information, and right if the answer is obvious."""

from array import array

import pytest

from clerestory.engine import GAMES, NATURE, Rng, State
from clerestory.engine.toy.rules import TOY
from clerestory.engine.values.value import value_of
from clerestory.search.arena.bots import BOTS, Budget, Move, parse_bot
from clerestory.search.arena.errors import BadBot
from clerestory.search.errors import BadLimit, HiddenFromSeat, NothingToDecide
from tests.search.positions import decisions, last_round, some_decisions

CASES = [
    (bot, name, seats)
    for bot in BOTS
    for name, game in GAMES.items()
    for seats in game.seats
    if bot not in ("script-v1", "priced-v1") or name == "cathedral"  # the game that its advice is about
]
BUDGET = Budget(iterations=60)
OPTIONED = [
    "greedy:samples=3",
    "expectimax:samples=3",
    "ismcts-plain:reward=mix,playout=informed,horizon=40,choice=bound",
    "ismcts-plain:reward=margin,exploration=0.3",
]


def choice(bot: str, position: State, seed: int = 5) -> tuple[str, int]:
    move = parse_bot(bot).choose(position, seed, BUDGET)
    return move.action, move.iterations


@pytest.mark.parametrize(
    ("bot", "name", "seats"),
    CASES + [(bot, name, seats) for bot in OPTIONED for name, game in GAMES.items() for seats in game.seats],
)
def test_truth_observation_and_other_worlds_give_one_legal_choice(bot: str, name: str, seats: int) -> None:
    """A bot that used a hidden card would sometimes decide differently with another card."""
    for position in some_decisions(GAMES[name], seats, 4, 8):
        view = position.observe(position.turn)
        views = [position, position, view, *(view.determinize(seed) for seed in range(3))]
        [(action, iterations)] = {choice(bot, one) for one in views}
        assert action in {legal.text for legal in position.legal_actions()}
        assert (iterations > 0) == (bot != "random")


@pytest.mark.parametrize("bot", ["random", "flat-mc"])
def test_seeds_matter(bot: str) -> None:
    position = decisions(GAMES["cathedral"], 3, 1)[0]
    assert len({choice(bot, position, seed) for seed in range(12)}) > 1


@pytest.mark.parametrize("bot", ["greedy", "expectimax", "flat-mc", "ismcts-plain"])
def test_the_last_decision_takes_the_prize(bot: str) -> None:
    """Seat 0 decides last, one point behind: only its 6 beats the 5 on the table for a prize of 2."""
    position = last_round(prize=2, seen=[1, 2, 5], players=[(0, 0, [3, 6]), (1, 5, [0])], moved=1)
    assert parse_bot(bot).choose(position, 1, Budget(iterations=300)).action == "play 6"


def test_expectimax_sees_the_reply_that_greedy_does_not() -> None:
    """Seat 1 plays first for the last prize and seat 0 holds 3 and 5: only the 6 wins, which the reply shows.

    The guide counts the prize as shared until both have acted, so greedy finds all cards equal.
    """
    position = last_round(prize=4, seen=[2, 4], players=[(0, 0, [0, 0]), (0, 0, [1, 6])], moved=0)
    assert choice("greedy", position)[0] == "play 1"
    assert choice("expectimax", position)[0] == "play 6"


def test_equal_actions_give_the_lowest_code() -> None:
    """Seat 1 has won for any actions, and nothing more can be gained or lost."""
    position = last_round(prize=1, seen=[1, 4, 6], players=[(0, 0, [2, 3]), (4, 6, [0])], moved=1)
    assert {choice(bot, position)[0] for bot in ("greedy", "expectimax", "flat-mc")} == {"play 2"}


def test_iterations_are_what_was_looked_at_also_within_a_time() -> None:
    position = decisions(TOY, 2, 1)[0]
    actions = len(position.legal_codes())
    assert choice("greedy:samples=3", position)[1] == 3 * actions
    assert choice("flat-mc", position)[1] == 60 // actions * actions
    assert choice("ismcts-plain", position)[1] == 60
    assert parse_bot("flat-mc").choose(position, 1, Budget(iterations=1)).iterations == actions
    for bot in ("flat-mc", "ismcts-plain"):
        move = parse_bot(bot).choose(position, 1, Budget(seconds=0.002))
        assert isinstance(move, Move)
        assert move.iterations >= 1


def test_options_reach_the_search() -> None:
    met = decisions(GAMES["cathedral"], 2, 1)[::9]
    assert [choice("ismcts-plain", one) for one in met] != [choice("ismcts-plain:exploration=0", one) for one in met]


@pytest.mark.parametrize(
    ("text", "error", "named"),
    [
        ("", BadBot, "''"),
        ("gredy", BadBot, "'gredy'"),
        ("random:samples=2", BadBot, "'samples'"),
        ("greedy:sample=2", BadBot, "'sample'"),
        ("greedy:seed=2", BadBot, "'seed'"),
        ("greedy:samples=0", BadBot, "'0'"),
        ("greedy:samples=2.5", BadBot, "'2.5'"),
        ("greedy:samples=many", BadBot, "'many'"),
        ("greedy:value=nonsense", BadBot, "greedy: value: 'nonsense' is neither a value of toy"),
        ("expectimax:samples", BadBot, "samples"),
        ("ismcts-plain:view=2", BadBot, "'view'"),
        ("ismcts-plain:depth=2", BadBot, "depth"),
        ("ismcts:threads=99999999999", BadBot, "whole number from 1 to 999999999"),
        ("ismcts:character=nobody", BadBot, "'nobody' is not one of perkin, mabel"),
        ("ismcts:character=mabel,level=3", BadBot, "'mabel' plays at level 2, not 3"),
        ("ismcts-plain:exploration=-1", BadLimit, "exploration: -1"),
        ("ismcts-plain:exploration=low", BadLimit, "exploration: 'low'"),
        ("ismcts-plain:reward=gold", BadLimit, "reward: 'gold'"),
    ],
)
def test_a_wrong_bot_or_option_is_named(text: str, error: type[Exception], named: str) -> None:
    with pytest.raises(error, match=named):
        choice(text, decisions(TOY, 2, 1)[0])


@pytest.mark.parametrize(
    ("text", "budget"),
    [("100ms", Budget(seconds=0.1)), ("2s", Budget(seconds=2)), ("1.5s", Budget(seconds=1.5)),
     ("1000it", Budget(iterations=1000))],
)  # fmt: skip
def test_budgets_are_read(text: str, budget: Budget) -> None:
    assert Budget.parse(text) == budget


@pytest.mark.parametrize("text", ["", "100", "0ms", "0it", "-1s", "1.5it", "1 hour", "9" * 40 + "it"])
def test_what_is_no_budget_is_named(text: str) -> None:
    with pytest.raises(BadLimit, match="budget"):
        Budget.parse(text)


@pytest.mark.parametrize("bot", ["flat-mc", "ismcts-plain"])
def test_a_budget_without_limits(bot: str) -> None:
    with pytest.raises(BadLimit, match="budget"):
        parse_bot(bot).choose(decisions(TOY, 2, 1)[0], 1, Budget())


@pytest.mark.parametrize("bot", BOTS)
def test_positions_without_a_decision(bot: str) -> None:
    over = decisions(TOY, 2, 1)[-1]
    over.play("fold")
    for position, why in ((TOY.new(2, 1), "chance"), (over, "over")):
        assert position.turn in (NATURE, -2)
        with pytest.raises(NothingToDecide, match=why):
            choice(bot, position)
    with pytest.raises(HiddenFromSeat, match="seat 0"):
        choice(bot, decisions(TOY, 3, 1)[0].observe(1))


def test_two_values_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES["cathedral"]
    hand = game.hand_values["hand"]
    monkeypatch.setitem(game.hand_values, "none", array(hand.typecode, bytes(hand.itemsize * len(hand))))
    state, rng = game.new(2, 1), Rng(1)
    while state.turn == NATURE:
        state.play(state.draw(rng))
    for bot in ("greedy", "expectimax"):
        chosen = {choice(f"{bot}:value={value}", state, 1)[0] for value in ("hand", "none")}
        assert len(chosen) == 2, bot
    assert value_of(game, "none")(state) == ((2.0, 2.0), None)
