"""Certainty: the share of searches ten times longer that would choose the same action, with the game's tuning."""

from math import exp

import numpy as np
import pytest

from clerestory.engine import GAMES, Rng
from clerestory.search.certainty import certainty, evidence
from clerestory.search.lines import Line
from tests.search.positions import decisions, search
from tools.lab.certainty import LENGTHS, report, searches_of, shares, weights_of


def lines(*visits: int) -> tuple[Line, ...]:
    """Return lines with given visits and equal scores, except the first, which leads by four standard errors."""
    equal = search(decisions(GAMES["toy"], 2, 3)[0], 50).best.changed(score=0.5, score_error=0.03)
    best = equal.changed(score=0.5 + 4 * 0.03 * 2**0.5)
    return tuple(line.changed(visits=one) for line, one in zip([best, *[equal] * 9], visits, strict=False))


def test_evidence_and_certainty_by_hand() -> None:
    assert evidence(lines(89, 9, 1)) == pytest.approx((1.0, 4.605170, 2.197225, 4.0), abs=1e-6)
    assert evidence(lines(89, 0, 0))[2:] == pytest.approx((4.499810, 0.0), abs=1e-6)
    assert certainty(lines(5), (-9.0, 0.0, 0.0, 0.0)) == 1.0
    assert certainty(lines(5, 5), (0.0, 0.0, 0.0, 0.0)) == 0.5
    assert certainty(lines(89, 9), (0.0, 0.0, 1.0, 0.0)) == pytest.approx(0.9)


@pytest.mark.parametrize(("name", "seats"), [(name, seats) for name, game in GAMES.items() for seats in game.seats])
def test_a_lead_makes_every_game_surer(name: str, seats: int) -> None:
    weights = GAMES[name].tuning.certainty[seats]
    said = [certainty(lines(100 + lead, 100), weights) for lead in (0, 50, 500, 5000)]
    assert said == sorted(said)
    assert 0.2 < said[0] < 0.8 < said[-1] < 1


def test_a_fit_finds_known_weights_and_its_shares_come_true() -> None:
    rng, true = Rng(1), (0.3, -0.1, 1.2, 0.2)
    pairs = []
    for _ in range(4000):
        seen = (1.0, 5 + 4 * rng.unit(), 3 * rng.unit(), 6 * rng.unit())
        share = 1 / (1 + exp(-sum(weight * one for weight, one in zip(true, seen, strict=True))))
        pairs.append({"evidence": seen, "agree": rng.unit() < share})
    weights = weights_of(pairs[:2000])
    assert weights[2:] == pytest.approx(true[2:], abs=0.15)
    said = shares(pairs[2000:], weights)
    assert said.mean() == pytest.approx(sum(pair["agree"] for pair in pairs[2000:]) / 2000, abs=0.03)
    assert any("| 0.90 to 0.95 |" in line for line in report(pairs[2000:], said))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seats"), [("cathedral", 2), ("cathedral", 4), ("duel", 2)])
def test_certainties_come_true_in_longer_searches(name: str, seats: int) -> None:
    """The games were not used for the fit; searches of one decision are correlated, so decisions are counted."""
    pairs = [pair for seed in range(901, 909) for pair in searches_of(name, seats, seed)]
    said, agreed = (
        shares(pairs, np.array(GAMES[name].tuning.certainty[seats])),
        np.array([pair["agree"] for pair in pairs]),
    )
    for low, high in ((0.0, 1.0), (0.0, 0.75), (0.75, 0.95), (0.95, 1.0)):
        inside = (said >= low) & (said <= high)
        decisions_inside = inside.sum() / len(LENGTHS)
        spread = (said[inside] * (1 - said[inside])).mean() ** 0.5
        assert abs(said[inside].mean() - agreed[inside].mean()) < 3 * spread / max(decisions_inside, 1) ** 0.5
    known = agreed.mean()
    assert loss_of(agreed, said) < loss_of(agreed, np.full(len(said), known))


def loss_of(agreed: np.ndarray, said: np.ndarray) -> float:
    return float(-np.log(np.where(agreed, said, 1 - said)).mean())
