"""The ledger adds up exactly for any shares."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clerestory.engine import NATURE
from clerestory.search.review.ledger import (
    UNIT,
    Account,
    PlyValuation,
    Shares,
    accounts,
    in_units,
    levelled,
    revaluations,
)
from tests.search.review.games import entry, same_examples


def shares(seats: int) -> st.SearchStrategy[Shares]:
    return st.lists(st.floats(0.001, 1), min_size=seats, max_size=seats).map(in_units)


@st.composite
def ledgers(draw: st.DrawFn) -> tuple[list[PlyValuation], Shares]:
    """Generate arbitrary valuations of arbitrary games."""
    seats = draw(st.integers(2, 4))
    turns = draw(st.lists(st.integers(NATURE, seats - 1), max_size=12))
    entries = [
        entry(
            ply, seat, draw(shares(seats)), draw(shares(seats)), "" if seat != NATURE else draw(st.sampled_from("xyz"))
        )
        for ply, seat in enumerate(turns, 1)
    ]
    return entries, draw(shares(seats))


def total(account: Account) -> int:
    return account.start + account.total_luck + account.errors + account.gifts + account.revaluation


@same_examples
@given(ledgers())
def test_accounts_add_up_and_columns_sum_to_nothing_over_the_seats(ledger: tuple[list[PlyValuation], Shares]) -> None:
    valuations, final = ledger
    found = accounts(valuations, final)
    for account in found:
        assert total(account) == account.final == final[account.seat]
        assert account.adjusted == account.final - account.total_luck
    assert sum(account.start for account in found) == sum(account.final for account in found) == UNIT
    assert sum(account.revaluation for account in found) == 0
    assert sum(account.errors + account.gifts for account in found) == 0
    for source in found[0].luck:
        assert sum(account.luck[source] for account in found) == 0


def test_accounts_by_hand() -> None:
    """Luck, an error of seat 0 that helps seat 1, a gift of seat 1, and revaluation."""
    valuations = [
        entry(1, NATURE, (500_000, 500_000), (600_000, 400_000), "die"),
        entry(2, 0, (590_000, 410_000), (540_000, 460_000)),
        entry(5, 1, (540_000, 460_000), (570_000, 430_000)),
    ]
    first, second = accounts(valuations, (UNIT, 0))
    assert first == Account(
        seat=0, start=500_000, luck={"die": 100_000}, errors=-50_000, gifts=30_000, revaluation=420_000, final=UNIT
    )
    assert second == Account(
        seat=1, start=500_000, luck={"die": -100_000}, errors=-30_000, gifts=50_000, revaluation=-420_000, final=0
    )
    assert revaluations(valuations, (UNIT, 0)) == [(-10_000, 10_000), (0, 0), (430_000, -430_000)]
    assert [one.loss for one in valuations] == [0, 50_000, 30_000]
    # A game without choices is its result.
    assert accounts([], (UNIT, 0))[0] == Account(
        seat=0, start=UNIT, luck={}, errors=0, gifts=0, revaluation=0, final=UNIT
    )


def test_valuations_out_of_order_are_rejected() -> None:
    half = (UNIT // 2, UNIT // 2)
    with pytest.raises(ValueError, match="order"):
        accounts([entry(2, 0, half, half), entry(1, 0, half, half)], half)


@same_examples
@given(st.lists(st.floats(0.001, 1), min_size=2, max_size=4))
def test_units_are_exact(given_shares: list[float]) -> None:
    units = in_units(given_shares)
    assert sum(units) == UNIT
    exact = [Fraction(share) / sum(map(Fraction, given_shares)) * UNIT for share in given_shares]
    assert all(abs(unit - share) < 1.001 for unit, share in zip(units, exact, strict=True))


@same_examples
@given(ledgers())
def test_levelling_changes_no_luck_and_no_error(ledger: tuple[list[PlyValuation], Shares]) -> None:
    """Only the levels of the shares change; every account still adds up."""
    valuations, final = ledger
    levels = levelled(valuations, final)
    assert [one.change for one in levels] == [one.change for one in valuations]
    for one, revalued in zip(levels, revaluations(levels, final), strict=True):
        assert one.seat != NATURE or not any(revalued)
    for account, raw in zip(accounts(levels, final), accounts(valuations, final), strict=True):
        assert total(account) == account.final
        assert (account.luck, account.errors, account.gifts) == (raw.luck, raw.errors, raw.gifts)


def test_decisions_with_nothing_between_them_have_one_level() -> None:
    """The mean over their searches, up to the next error or event; the loss of that error is unchanged."""
    quiet = (400_000, 600_000)
    valuations = [
        entry(1, 0, quiet, quiet),
        entry(2, 1, (500_000, 500_000), (500_000, 500_000)),
        entry(3, 1, (600_000, 400_000), (610_000, 390_000)),
        entry(4, 0, quiet, quiet),
        entry(5, NATURE, quiet, (300_000, 700_000), "die"),
        entry(6, 0, quiet, quiet),
    ]
    levels = levelled(valuations, quiet)
    assert [one.before[0] for one in levels] == [500_000, 500_000, 500_000, 400_000, 500_000, 400_000]
    assert [one.after[0] for one in levels] == [500_000, 500_000, 510_000, 400_000, 400_000, 400_000]
