"""The core and the plain model agree ply by ply: legal actions, odds, the whole position, and the result."""

import random
from collections import Counter

import pytest

from clerestory.engine import GAMES, NATURE, Rng
from tests.engine.duel.oracle import Oracle
from tests.engine.duel.oracle_cards import DECK_OF_PHASE, DECKS, ONCE, PERSONAL_CARDS, SYMBOLS
from tests.engine.duel.oracle_models import Core
from tests.engine.duel.oracle_players import Weigh, builder, choose, uniform
from tests.engine.duel.oracle_state import Position

if "duel" not in GAMES:
    pytest.skip("the core is not there yet", allow_module_level=True)

DUEL = GAMES["duel"]
SURPRISES = 6  # at one chance event in so many Nature brings up what was not dealt


def assert_equal(core: Core, oracle: Oracle, legal: list[str]) -> None:
    """Compare everything there is to know of one position."""
    assert core.turn() == oracle.turn()
    assert core.position() == oracle.position()
    assert_hides_orders(core, oracle)
    assert sorted(legal) == sorted(oracle.legal())
    if core.turn() == NATURE:
        assert core.odds() == oracle.odds()
    if core.state.over:
        assert core.returns() == oracle.returns()
        assert core.margins() == pytest.approx(oracle.margins(), abs=1e-9)


def assert_hides_orders(core: Core, oracle: Oracle) -> None:
    """What a seat sees leaves the orders open; dealt anew, they are orders of what has not been seen (5)."""
    seen = core.state.observe(max(core.turn(), 0))
    assert Core(seen).position() == oracle.observed().position()
    dealt = Core(seen.deal(oracle.table().bank)).table()  # any seed will do
    decks = [oracle.table().unseen_cards, *(Counter(DECKS[DECK_OF_PHASE[n]]) for n in range(dealt.phase + 1, 5))]
    assert Counter(dealt.seal_order) == oracle.table().unseen_seals
    for deck in decks:
        assert Counter(dealt.deck[: deck.total()]) == deck
        del dealt.deck[: deck.total()]
    assert dealt.deck == []


def compare_game(weigh: Weigh, seed: int) -> tuple[Counter[str], Position]:
    """Play one game on both; return how often each kind of action was played, cards by name, and the last table."""
    rng, core = random.Random(seed), Core(DUEL.new(2, seed))
    oracle, played = Oracle.from_position(core.position()), Counter[str]()
    while True:
        legal = core.legal()
        assert_equal(core, oracle, legal)
        if core.state.over:
            return played, oracle.table()
        if core.turn() == NATURE and rng.randrange(SURPRISES):
            text = core.state.draw(Rng(rng.getrandbits(60))).text
        else:
            text = choose(rng, uniform if core.turn() == NATURE else weigh, oracle.table(), legal)
        verb, *words = text.split()
        played[words[0] if verb in ("use", "play") else verb] += 1
        core.play(text)
        oracle.play(text)


@pytest.mark.parametrize("weigh", [uniform, builder])
@pytest.mark.parametrize("part", range(4))
def test_random_games(weigh: Weigh, part: int) -> None:
    for seed in range(25 * part, 25 * (part + 1)):
        compare_game(weigh, seed)


VERBS = (
    *("deal", "face", "draw", "claim", "pass", "take-back", "flip", "stop", "keep", "build", "end", "done", "buy"),
    *("convert", "sell", "take", "pay", "place", "return"),
)


def test_the_games_use_every_card_and_complete_every_section() -> None:
    """What the comparison is worth: no card, no kind of action, no section and no ending is missing from it."""
    played, sections, winners = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(1000, 1100):
        counts, table = compare_game(builder, seed)
        played += counts
        winners[table.winner()] += 1
        for player in table.players.values():
            sections.update(f"{player.colour} {section}" for section in player.placed if player.complete(section))
    missed = {*SYMBOLS, *PERSONAL_CARDS, *ONCE, *VERBS} - set(played)
    assert not missed
    assert set(sections) == {f"{colour} {section}" for colour in ("red", "blue") for section in ("I", "II", "III")}
    assert "" in winners
    assert len(winners) > 1  # by the third section, too


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("weigh", [uniform, builder])
@pytest.mark.parametrize("part", range(8))
def test_thousands_of_random_games(weigh: Weigh, part: int) -> None:
    for seed in range(10_000 + 500 * part, 10_000 + 500 * (part + 1)):
        compare_game(weigh, seed)
