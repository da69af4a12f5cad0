"""The core and the reference model agree ply by ply: actions, odds, the whole position, hidden fields, results."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from clerestory.engine import NATURE, Rng
from tests.engine.duel import oracle_legal, oracle_play
from tests.engine.duel.oracle_cards import COLOURS, DECK_OF_PHASE, DECKS, ONCE, PERSONAL_CARDS, SECTIONS, SYMBOLS
from tests.engine.duel.oracle_fields import Fields, from_fields, to_fields
from tests.engine.duel.oracle_scenes import Core, random_table
from tests.engine.duel.oracle_state import Player, Position
from tests.engine.guided import Weigh, drawn, informed, uniform
from tests.engine.models import PlainGame, assert_equal
from tests.shipped import DUEL

SURPRISES = 6  # one in this many chance events reveals what was not dealt
LOOKS = 10  # hidden fields are compared at one in this many plies
VERBS = (
    *("deal", "face", "draw", "claim", "pass", "take-back", "flip", "stop", "keep", "build", "end", "done", "buy"),
    *("convert", "sell", "take", "pay", "place", "return"),
)


class Oracle(PlainGame):
    """One game: ask `turn` and `legal`, then `play`, until `turn` says that it is over."""

    colours = COLOURS
    rules = (oracle_legal.legal, oracle_legal.odds, oracle_play.play)

    @classmethod
    def from_position(cls, fields: dict[str, Any]) -> Oracle:
        """Reads the inner position of RULES.md section 4, all fields present, orders known or `[]`."""
        return cls(from_fields(fields))

    def position(self) -> dict[str, Any]:
        return to_fields(self._state)

    def table(self) -> Position:
        """What lies where; not to be changed."""
        return self._state

    def returns(self) -> list[Fraction]:
        """The win share of each seat at the end: the third section wins, else the order of points, Philip last."""
        s = self._state
        red, blue = (_standing(player) for player in s.players.values())
        won = s.winner() or ("red" if red > blue else "blue")
        return [Fraction(colour == won) for colour in COLOURS]

    def margins(self) -> list[float]:
        """The points of each seat less the other's."""
        red, blue = (_points(player) for player in self._state.players.values())
        return [red - blue, blue - red]


def _points(player: Player) -> float:
    """Return the ranking at the end as points, for margins (D46)."""
    return 10 * player.sections() + player.materials() + player.gold / 100


def _standing(player: Player) -> tuple[int, int, int]:
    """Return the criteria compared after phase 4, the most important first."""
    return player.sections(), player.materials(), player.gold


def assert_hides_orders(core: Core, oracle: Oracle, seed: int) -> None:
    """What a seat sees leaves the orders open; dealt again, they are orders of unseen items."""
    seen = core.state.observe(seed % 2)
    assert Core(seen).position() == {**oracle.position(), "deck": [], "seal_order": []}
    dealt = Core(seen.determinize(seed)).table()
    assert Counter(dealt.seal_order) == oracle.table().unseen_seals
    later = [Counter(DECKS[DECK_OF_PHASE[phase]]) for phase in range(dealt.phase + 1, 5)]
    for deck in (oracle.table().unseen_cards, *later):
        assert Counter(dealt.deck[: deck.total()]) == deck
        del dealt.deck[: deck.total()]
    assert dealt.deck == []


def compare(rng: Rng, weigh: Weigh, position: Fields, plies: int) -> tuple[Counter[str], Position]:
    """Play on, on both; return the number of actions by kind and card, and the last position."""
    core, oracle = Core.from_position(position), Oracle.from_position(position)
    played = Counter[str]()
    for ply in range(plies):
        assert_equal(core, oracle)
        if core.state.over:
            break
        if oracle.table().open:
            assert Core.from_position(core.position()).state == core.state
        if ply % LOOKS == 0:
            assert_hides_orders(core, oracle, rng.below(1 << 30))
        codes = core.state.legal_codes()
        surprise = core.turn() == NATURE and not rng.below(SURPRISES)
        code = codes[rng.below(len(codes))] if surprise else drawn(core.state, rng, weigh)
        text = DUEL.texts[code]
        verb, *words = text.split()
        played[words[0] if verb in ("use", "play") else verb] += 1
        core.play(text)
        oracle.play(text)
    return played, oracle.table()


def compare_game(weigh: Weigh, seed: int) -> tuple[Counter[str], Position]:
    played, table = compare(Rng(seed), weigh, Core(DUEL.new(2, seed)).position(), DUEL.max_plies)
    assert table.step == "over"
    return played, table


def compare_table(weigh: Weigh, seed: int) -> Counter[str]:
    """Compare a round or two from a position that games rarely reach."""
    return compare(Rng(seed), weigh, to_fields(random_table(random.Random(seed))), 50)[0]


def test_random_games() -> None:
    for seed in range(6):
        compare_game(uniform, seed)


@pytest.mark.parametrize("weigh", [uniform, informed])
def test_random_tables(weigh: Weigh) -> None:
    for seed in range(40):
        compare_table(weigh, seed)


def test_games_of_players_who_build_use_every_card_and_complete_every_section() -> None:
    """The comparison covers every card, kind of action, section and ending."""
    played, sections, winners = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(6, 18):
        counts, table = compare_game(informed, seed)
        played += counts
        winners[table.winner()] += 1
        for player in table.players.values():
            sections.update(player.colour + section for section in SECTIONS if player.complete(section))
    assert {*SYMBOLS, *PERSONAL_CARDS, *ONCE, *VERBS} - set(played) == set()
    assert set(sections) == {colour + section for colour in ("red", "blue") for section in SECTIONS}
    assert len(winners) > 1  # after phase 4, and by the third section


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("weigh", [uniform, informed])
@pytest.mark.parametrize("part", range(8))
def test_thousands_of_random_games(weigh: Weigh, part: int) -> None:
    for seed in range(10_000 + 250 * part, 10_000 + 250 * (part + 1)):
        compare_game(weigh, seed)
        compare_table(weigh, seed)
