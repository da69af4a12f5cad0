"""The ledger of a game: each seat's win shares, which add up exactly.

    share at the start + luck by source + own errors + gifts of others + revaluation = result

Shares are integers, in millionths, so nothing is lost by rounding. The identity is Zare's (Hedging Toward Skill,
2000): final - initial = net luck + net skill. Revaluation is the disagreement of the searches from ply to ply.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from clerestory.engine.core import NATURE
from clerestory.i18n.sentences import Text
from clerestory.sums import total

UNIT = 1_000_000  # millionths in a win
SHOWN = "shown ahead"  # the source of luck for an event that a seat knew before it was revealed

Shares = tuple[int, ...]  # by seat, in millionths; they sum to UNIT


@dataclass(frozen=True, slots=True, kw_only=True)
class PlyValuation:
    """The effect of a ply on the win shares, according to the searches.

    Attributes:
        ply: number of the ply, from 1.
        round: round of the game; 0 in a game without rounds.
        seat: the seat that decided, NATURE for a chance event.
        action: text of the action or outcome.
        label: the same in plain English.
        source: the kind of luck; "" for a decision.
        before: win shares before the ply: after the best action, or the mean over the outcomes weighted by their odds.
        after: win shares after the ply.
        best: text of the best action; of a chance event, "".
        best_label: the same in plain English.
        points: points of margin that the action cost, 0 or more; of a chance event, 0.
        stake: difference between the best and the worst action for the seat that decided, in millionths; of a chance
            event, 0.
        iterations: total over all searches of the ply.
        line: the principal variation of the best action, as texts.
        reason: sentences on what the best action gains over the one played, if that exceeds chance; else "".
        reasons: the same as codes and arguments.
    """

    ply: int
    round: int = 0
    seat: int
    action: str
    label: str
    source: str
    before: Shares
    after: Shares
    best: str = ""
    best_label: str = ""
    points: float = 0.0
    stake: int = 0
    iterations: int = 0
    line: tuple[str, ...] = ()
    reason: str = ""
    reasons: tuple[Text, ...] = ()

    @property
    def change(self) -> Shares:
        """The change in each seat's share; sums to 0."""
        return tuple(after - before for before, after in zip(self.before, self.after, strict=True))

    @property
    def loss(self) -> int:
        """The loss of the seat that decided, 0 or more, in millionths; of a chance event, 0."""
        return 0 if self.seat == NATURE else -self.change[self.seat]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The ledger of one seat, in millionths of a win.

    Attributes:
        seat: the seat.
        start: its share before the first valued ply.
        luck: its luck by source, in the order in which the sources first occurred.
        errors: the cost of the seat's errors, 0 or less.
        gifts: its gain from others' errors; below 0 if they cost it something.
        revaluation: the disagreement of the searches from ply to ply.
        final: the result, or the share of the last position of a game that is not over.
    """

    seat: int
    start: int
    luck: dict[str, int]
    errors: int
    gifts: int
    revaluation: int
    final: int

    @property
    def total_luck(self) -> int:
        """The luck of all sources."""
        return sum(self.luck.values())

    @property
    def adjusted(self) -> int:
        """The result minus the luck."""
        return self.final - self.total_luck


def in_units(shares: Sequence[float]) -> Shares:
    """Return win shares in millionths that sum to UNIT, by the largest remainder method."""
    all_shares = total(shares)
    exact = [share * UNIT / all_shares for share in shares]
    whole = [int(share) for share in exact]
    order = sorted(range(len(exact)), key=lambda seat: whole[seat] - exact[seat])
    for seat in order[: UNIT - sum(whole)]:
        whole[seat] += 1
    return tuple(whole)


def revaluations(valuations: Sequence[PlyValuation], final: Shares) -> list[Shares]:
    """Return the revaluation between each valuation and the next, or the result: vectors that each sum to 0."""
    following = [valuation.before for valuation in valuations[1:]] + [final] * bool(valuations)
    return [
        tuple(then - now for now, then in zip(valuation.after, before, strict=True))
        for valuation, before in zip(valuations, following, strict=True)
    ]


def levelled(valuations: Sequence[PlyValuation], final: Shares) -> list[PlyValuation]:
    """Return the valuations with equal shares wherever nothing happened between them.

    Consecutive decisions without luck or error between them are one position for the review: their shares become the
    mean over their searches. The search of a chance event looks less far ahead than that of a decision, because it
    divides its iterations among the outcomes. It therefore contributes only the luck; the shares around it come from
    the next decision, or the result. Luck and errors do not change. Shares may then lie slightly outside 0 to 1.
    """
    found: list[PlyValuation] = []
    following = final
    for one in reversed(averaged(valuations)):
        if one.seat == NATURE:
            found.append(moved(one, tuple(share - luck for share, luck in zip(following, one.change, strict=True))))
        else:
            found.append(one)
        following = found[-1].before
    return found[::-1]


def averaged(valuations: Sequence[PlyValuation]) -> list[PlyValuation]:
    """Return the valuations with the shares of consecutive lossless decisions replaced by their mean."""
    found: list[PlyValuation] = []
    for stretch in stretches(valuations):
        level = in_units([sum(shares) for shares in zip(*(one.before for one in stretch), strict=True)])
        found += [moved(one, level) for one in stretch]
    return found


def stretches(valuations: Sequence[PlyValuation]) -> list[list[PlyValuation]]:
    """Return runs of valuations in which all but the last are lossless decisions; chance events are single."""
    found: list[list[PlyValuation]] = []
    for before, one in zip([None, *valuations], valuations, strict=False):
        goes_on = before is not None and NATURE not in (before.seat, one.seat) and before.after == before.before
        if goes_on:
            found[-1].append(one)
        else:
            found.append([one])
    return found


def moved(one: PlyValuation, before: Shares) -> PlyValuation:
    """Return a valuation with the same change, starting from other shares."""
    after = tuple(share + change for share, change in zip(before, one.change, strict=True))
    return replace(one, before=before, after=after)


def accounts(valuations: Sequence[PlyValuation], final: Shares) -> tuple[Account, ...]:
    """Return the ledger of each seat.

    Args:
        valuations: valuations of the plies at which shares could change, in order.
        final: the result in millionths, or the shares of the last position.

    Raises ValueError for valuations out of order.
    """
    if any(one.ply >= other.ply for one, other in pairwise(valuations)):
        raise ValueError("valuations are not in the order of their plies")
    start = valuations[0].before if valuations else final
    revalued = revaluations(valuations, final)
    return tuple(
        Account(
            seat=seat,
            start=start[seat],
            luck=luck_of(seat, valuations),
            errors=sum(one.change[seat] for one in valuations if one.seat == seat),
            gifts=sum(one.change[seat] for one in valuations if one.seat not in (seat, NATURE)),
            revaluation=sum(change[seat] for change in revalued),
            final=final[seat],
        )
        for seat in range(len(final))
    )


def luck_of(seat: int, valuations: Iterable[PlyValuation]) -> dict[str, int]:
    """Return the luck of a seat by source."""
    luck: dict[str, int] = {}
    for one in valuations:
        if one.seat == NATURE:
            luck[one.source] = luck.get(one.source, 0) + one.change[seat]
    return luck
