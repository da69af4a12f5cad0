"""Notices of turns: their occasions, contents, retries and limits."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from clerestory.server.games import commands, notices
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import EndReason, Holder, SeatKind
from clerestory.server.games.notices import (
    Delivery,
    Outcome,
    Receiver,
    Route,
    Send,
    TurnNotice,
    TurnNotices,
    begins_turn,
    notice_of,
)
from clerestory.server.games.store import StoreError
from clerestory.service_errors import Reason, ServiceError
from tests.server.games.simulated import Database, Server, on_simulated_time
from tests.server.games.table import BOTH, NOW, OWNER, hosted

DELIVERED, REJECTED, FAILED, OUTDATED, DROPPED = Outcome


def played(before: HostedGame, number: int = 0) -> HostedGame:
    """Return a game after an action of the player to move."""
    after = before.copy()
    commands.play(after, BOTH, after.version, after.position.legal_actions()[number].text, NOW)
    return after


def until_another(before: HostedGame) -> tuple[HostedGame, HostedGame]:
    """Return a game before and after the action that ends a turn."""
    after = played(before)
    while after.turn == before.turn:
        before, after = after, played(after)
    return before, after


async def refused(call: Awaitable[object]) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        await call
    return caught.value


class Customer:
    """Receives notices, gives the listed answers first, and then accepts all."""

    def __init__(self, *answers: Delivery) -> None:
        self.answers = list(answers)
        self.received: list[tuple[float, TurnNotice]] = []
        self.outcomes: Counter[Outcome] = Counter()
        self.notices = announcer(self)
        self.now: HostedGame | None = None  # the game, if its turn may have ended

    def note(self, before: HostedGame | None, hosted: HostedGame) -> None:
        self.now = hosted
        self.notices.note(before, hosted)

    async def holds(self, notice: TurnNotice) -> bool:
        return self.now is None or (self.now.called, self.now.turn) == (notice.version, notice.seat)

    async def find(self, notice: TurnNotice) -> Sequence[Receiver]:
        return to(self.send)

    async def send(self, notice: TurnNotice) -> Delivery:
        self.received.append((asyncio.get_running_loop().time(), notice))
        return self.answers.pop(0) if self.answers else Delivery.ACCEPTED

    async def settled(self, count: int) -> None:
        while self.outcomes.total() < count:
            await asyncio.sleep(1)


def announcer(receiver: Customer, *routes: Route) -> TurnNotices:
    """Return what announces turns, by default to a receiver, which also counts."""
    count = receiver.outcomes.update
    return TurnNotices(routes or [Route(receiver.find)], lambda outcome: count([outcome]), receiver.holds)


def to(*sends: Send) -> list[Receiver]:
    """Return receivers at different hosts."""
    return [
        Receiver(f"https://{number}.example.org/", f"{number}.example.org", send) for number, send in enumerate(sends)
    ]


def numbered(number: int, maker: str = "") -> HostedGame:
    game = hosted()
    return HostedGame(replace(game.head, game_id=f"game {number}", maker=maker), game.entries)


def test_a_new_game_and_each_change_of_players_begin_a_turn() -> None:
    game = hosted()
    assert begins_turn(None, game)
    assert not begins_turn(game, game)  # a repeated request
    before, after = until_another(game)
    assert begins_turn(before, after)


def test_a_bot_that_waits_or_moves_begins_no_turn_of_a_person() -> None:
    game = hosted(seats="bb")
    assert not begins_turn(None, game)
    assert not begins_turn(None, hosted(seats="po"))  # it waits for a player


def test_a_person_who_takes_a_seat_back_from_a_bot_has_a_turn() -> None:
    game = hosted()
    assert game.turn is not None
    left, back = game.copy(), game.copy()
    commands.set_seat(left, OWNER, game.turn, hosted(seats="bb").seats[0], NOW)
    assert begins_turn(left, back)
    assert not begins_turn(game, left)


def test_the_end_begins_no_turn() -> None:
    game = hosted()
    ended = game.copy()
    commands.end(ended, OWNER, EndReason.ABANDONED, None, NOW)
    assert not begins_turn(game, ended)


def test_a_notice_says_what_everyone_may_know() -> None:
    """Two games that differ in what is hidden have equal notices."""
    first, second = (notice_of(hosted("duel", seed=seed, seconds_per_move=60.5)).to_json() for seed in (7, 8))
    assert first == second
    assert json.loads(first) == {
        "type": "turn.began",
        "timestamp": "1970-01-01T00:16:40.000Z",
        "data": {
            "game_id": "game",
            "game": "duel",
            "version": hosted("duel").version,
            "ply": hosted("duel").ply,
            "seat": hosted("duel").turn,
            "move_deadline": "1970-01-01T00:17:40.500Z",
        },
    }


@pytest.mark.parametrize(
    ("answers", "outcome", "times"),
    [
        ([], DELIVERED, [0]),
        ([Delivery.REJECTED], REJECTED, [0]),
        ([Delivery.FAILED] * 2, DELIVERED, [0, 1, 6]),
        ([Delivery.FAILED] * 9, FAILED, [0, 1, 6, 36, 156, 756]),
    ],
)
@on_simulated_time
async def test_a_notice_is_sent_until_it_is_accepted_or_rejected(
    answers: Sequence[Delivery], outcome: Outcome, times: list[int]
) -> None:
    receiver = Customer(*answers)
    receiver.note(None, hosted())
    await receiver.settled(1)
    assert [round(time) for time, _ in receiver.received] == times
    assert len({notice.name for _, notice in receiver.received}) == 1
    assert receiver.outcomes == {outcome: 1}


@on_simulated_time
async def test_a_notice_of_a_turn_that_has_ended_is_not_sent_again() -> None:
    receiver = Customer(Delivery.FAILED)
    before, after = until_another(hosted())
    receiver.note(None, before)
    await asyncio.sleep(0.5)
    receiver.note(before, after)
    await receiver.settled(2)
    assert receiver.outcomes == {OUTDATED: 1, DELIVERED: 1}
    assert [notice.seat for _, notice in receiver.received] == [before.turn, after.turn]


@on_simulated_time
async def test_beyond_the_limit_notices_are_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "MAX_PENDING", 3)
    receiver = Customer()
    for number in range(5):
        receiver.notices.note(None, numbered(number))
    await receiver.settled(5)
    assert receiver.outcomes[DROPPED] == 2
    assert receiver.notices._under_way == {}


@on_simulated_time
async def test_slow_receivers_of_one_route_do_not_delay_another() -> None:
    slow, fast = Customer(), Customer()

    async def stuck(notice: TurnNotice) -> Delivery:
        await asyncio.sleep(10)
        return await slow.send(notice)

    async def many(_: TurnNotice) -> Sequence[Receiver]:
        return to(*[stuck] * (notices.MAX_SENDING + 1))

    both = announcer(slow, Route(many), Route(fast.find))
    both.note(None, hosted())
    await slow.settled(notices.MAX_SENDING + 2)
    assert [round(time) for time, _ in fast.received] == [0]
    assert [round(time) for time, _ in slow.received] == [10] * notices.MAX_SENDING + [20]


SLOTS, EACH = 8, 2


class SlowHosts:
    """Receives notices, each for ten seconds, at the host that it has for the maker of a game."""

    def __init__(self, hosts: Callable[[TurnNotice], str]) -> None:
        self.customer, self.hosts = Customer(), hosts
        self.removed = set[str]()
        self.route = Route(self.find, durable=True, sending=SLOTS, each=EACH)
        self.notices = announcer(self.customer, self.route)

    async def find(self, notice: TurnNotice) -> Sequence[Receiver]:
        host = self.hosts(notice)
        return [] if notice.game_id in self.removed else [Receiver(f"https://{host}/", host, self.send)]

    async def send(self, notice: TurnNotice) -> Delivery:
        await asyncio.sleep(10)
        return await self.customer.send(notice)

    def note(self, makers: Sequence[str]) -> None:
        for number, maker in enumerate(makers):
            self.notices.note(None, numbered(number, maker))

    async def received(self, seconds: float) -> Counter[str]:
        """Return how many notices of each maker have been sent after some seconds."""
        await asyncio.sleep(seconds)
        return Counter(notice.maker for _, notice in self.customer.received)


@on_simulated_time
async def test_the_dead_targets_of_one_maker_leave_slots_to_others() -> None:
    slow = SlowHosts(lambda notice: f"{notice.game_id}.example.org")
    slow.note([*["Eve"] * 20, "Ada", "Ben"])
    assert await slow.received(15) == {"Eve": EACH, "Ada": 1, "Ben": 1}


@on_simulated_time
async def test_a_dead_host_leaves_slots_to_others() -> None:
    slow = SlowHosts(lambda notice: "fine.example.org" if notice.maker == "Ada" else "dead.example.org")
    slow.note([*(f"maker {number}" for number in range(20)), "Ada"])
    found = await slow.received(15)
    assert (found["Ada"], found.total()) == (1, SLOTS // 2 + 1)


@on_simulated_time
async def test_a_target_that_is_removed_while_its_notice_waits_for_a_slot_gets_none() -> None:
    slow = SlowHosts(lambda _: "example.org")
    slow.note(["Eve"] * (EACH + 1))
    await asyncio.sleep(5)
    slow.removed.add(f"game {EACH}")
    await slow.customer.settled(EACH + 1)
    assert slow.customer.outcomes == {DELIVERED: EACH, OUTDATED: 1}
    assert len(slow.customer.received) == EACH


@on_simulated_time
async def test_limits_of_makers_and_hosts_are_forgotten_after_use() -> None:
    slow = SlowHosts(lambda notice: f"{notice.maker}.example.org")
    slow.note([f"maker {number}" for number in range(20)])
    await slow.customer.settled(20)
    await asyncio.sleep(1)
    assert not slow.route.slots._of


@on_simulated_time
async def test_only_durable_routes_announce_a_turn_again() -> None:
    once, durable = Customer(), Customer()
    routes = [Route(once.find), Route(durable.find, durable=True)]
    both = announcer(durable, *routes)
    both.announce_again(hosted())
    both.announce_again(hosted())  # which is already on its way
    both.announce_again(hosted(seats="bb"))
    await durable.settled(1)
    assert (len(once.received), len(durable.received)) == (0, 1)
    assert (both.durable, announcer(once, routes[0]).durable) == (True, False)


@on_simulated_time
async def test_the_end_of_the_server_gives_up_what_is_left() -> None:
    receiver = Customer(*[Delivery.FAILED] * 9)
    receiver.notices.note(None, hosted())
    await asyncio.sleep(0.5)
    await receiver.notices.finish()
    receiver.notices.note(None, numbered(1))
    await asyncio.sleep(10)
    assert len(receiver.received) == 1
    assert receiver.outcomes == {}


@on_simulated_time
async def test_the_end_of_the_server_lets_a_notice_arrive_that_is_just_being_sent() -> None:
    """Otherwise it may have arrived, and the next server would send it again."""
    receiver = Customer()

    async def slow(_: TurnNotice) -> Sequence[Receiver]:
        async def send(notice: TurnNotice) -> Delivery:
            await asyncio.sleep(2)
            return await receiver.send(notice)

        return to(send)

    notices = announcer(receiver, Route(slow, sending=1))
    for number in range(2):  # the second waits until the first has been sent
        notices.note(None, numbered(number))
    await asyncio.sleep(1)
    await notices.finish()
    assert receiver.outcomes == {DELIVERED: 1}


@on_simulated_time
async def test_a_store_that_fails_is_asked_again() -> None:
    receiver, errors = Customer(), [StoreError("failed"), StoreError("failed")]

    async def failing(_: TurnNotice) -> bool:
        if errors:
            raise errors.pop()
        return True

    receiver.holds = failing  # type: ignore[method-assign]
    receiver.notices = announcer(receiver)
    receiver.notices.note(None, hosted())
    await receiver.settled(1)
    assert [round(time) for time, _ in receiver.received] == [6]


@on_simulated_time
async def test_receivers_that_the_store_cannot_name_for_a_moment_are_not_outdated() -> None:
    receiver = Customer(*[Delivery.FAILED] * 2)
    found = [to(*[receiver.send] * 2), StoreError("failed"), to(*[receiver.send] * 2)]

    async def find(_: TurnNotice) -> Sequence[Receiver]:
        if isinstance(answer := found.pop(0), StoreError):
            raise answer
        return answer

    announcer(receiver, Route(find, durable=True)).note(None, hosted())
    await receiver.settled(2)
    assert receiver.outcomes == {DELIVERED: 2}


# -- several servers -------------------------------------------------------------------------------


class Shared:
    """Several servers with one store and one receiver."""

    def __init__(self, *answers: Delivery, durable: bool = False) -> None:
        self.receiver, self.database = Customer(*answers), Database()
        route = Route(self.receiver.find, durable=durable)
        count = self.receiver.outcomes.update
        self.make = partial(TurnNotices, [route], lambda outcome: count([outcome]))
        self.servers = [self.start(number) for number in (1, 2)]

    def start(self, number: int) -> Server:
        return Server(self.database, number, notices=self.make)

    @property
    def names(self) -> list[str]:
        return [notice.name for _, notice in self.receiver.received]


@on_simulated_time
async def test_a_turn_that_has_ended_at_another_server_is_not_announced_again() -> None:
    shared = Shared(Delivery.FAILED)
    first, second = shared.servers
    await first.create()
    await asyncio.sleep(0.5)
    await second.play()
    await shared.receiver.settled(2)
    assert shared.receiver.outcomes == {OUTDATED: 1, DELIVERED: 1}
    assert len({*shared.names}) == len(shared.names) == 2


@on_simulated_time
async def test_a_turn_is_announced_by_the_server_at_which_it_began() -> None:
    """The other server learns of it when it stores a change of its own."""
    shared = Shared()
    first, second = shared.servers
    game = await first.create()
    other = next(seat for seat in (0, 1) if seat != game.turn)
    async with first.manager.lend("game") as live:
        await second.play()
        named = Holder(SeatKind.PERSON, name="Eve")
        await first.manager.change(live, lambda game: commands.set_seat(game, OWNER, other, named, NOW))
        assert live.hosted.seats[other].name == "Eve"
    await shared.receiver.settled(2)
    await asyncio.sleep(1)
    assert len({*shared.names}) == len(shared.names) == 2


@on_simulated_time
async def test_a_turn_is_announced_again_even_if_the_store_fails_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """And by and by, if there are many, so that those that begin meanwhile are not dropped."""
    monkeypatch.setattr(notices, "MAX_PENDING", 4)
    shared = Shared(durable=True)
    await asyncio.sleep(1)
    for number in range(6):
        await shared.servers[0].create(f"game-{number}")
        await shared.receiver.settled(number + 1)
    late = shared.start(3)
    load, failures = late.store.load, ["game-1", "game-3"]

    async def failing(game_id: str) -> Any:
        if game_id in failures:
            failures.remove(game_id)
            raise StoreError("failed")
        return await load(game_id)

    late.store.load = failing
    shared.receiver.answers = [Delivery.FAILED] * 2
    await shared.receiver.settled(12)
    assert shared.receiver.outcomes == {DELIVERED: 12}
    assert Counter(shared.names).keys() == {*shared.names[:6]}


@on_simulated_time
async def test_a_turn_is_announced_though_the_answer_of_the_store_was_lost() -> None:
    shared = Shared()
    server = shared.servers[0]
    game, append = await server.create(), server.store.append
    await shared.receiver.settled(1)

    async def lost(*args: Any, **kwargs: Any) -> None:
        server.store.append = append
        await append(*args, **kwargs)
        raise StoreError("the answer was lost")

    server.store.append = lost
    assert (await refused(server.play())).reason == Reason.STORE_FAILED
    await shared.receiver.settled(2)
    assert [notice.seat for _, notice in shared.receiver.received] == [game.turn, 1 - (game.turn or 0)]


@on_simulated_time
async def test_turns_beyond_the_limit_are_announced_once_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "MAX_PENDING", 4)
    shared = Shared(durable=True)
    shared.receiver.answers = [Delivery.FAILED] * 4  # which keeps those four waiting for a second
    for number in range(6):
        await shared.servers[0].create(f"game-{number}")
    while len({*shared.names}) < 6:
        await asyncio.sleep(1)
    assert shared.receiver.outcomes.keys() == {DELIVERED}


@pytest.mark.parametrize("retrying", [0, 1])
@on_simulated_time
async def test_a_turn_that_begins_after_a_failed_write_is_announced_once(retrying: int) -> None:
    """By the server that stored it, and not again by the one that then finds out that its write was not stored."""
    shared = Shared()
    first = shared.servers[0]
    game = await first.create()
    await shared.receiver.settled(1)
    first.store.append = failing_once(first.store.append)
    first.store.later = failing_once(first.store.later, after=1)
    assert (await refused(first.play())).reason == Reason.STORE_FAILED
    await asyncio.sleep(1)  # until it has failed to catch up
    await shared.servers[retrying].play()
    await asyncio.sleep(60)
    assert [notice.seat for _, notice in shared.receiver.received] == [game.turn, 1 - (game.turn or 0)]


def failing_once(ask: Callable[..., Awaitable[Any]], after: int = 0) -> Callable[..., Awaitable[Any]]:
    """Return a call to the store that fails once, after some calls."""
    answers = [*[ask] * after, None]

    async def call(*args: Any, **kwargs: Any) -> Any:
        if (real := answers.pop(0) if answers else ask) is None:
            raise StoreError("failed")
        return await real(*args, **kwargs)

    return call


# -- the name of a notice --------------------------------------------------------------------------


def test_a_notice_keeps_its_name_whatever_else_happens_in_its_turn() -> None:
    game = hosted("cathedral", "ppp")
    first, others = notice_of(game), [seat for seat in range(3) if seat != game.turn]
    commands.set_seat(game, OWNER, others[0], hosted(seats="bb").seats[0], NOW)
    assert notice_of(game) == first
    commands.set_seat(game, OWNER, others[1], Holder(SeatKind.PERSON, name="Eve"), NOW)
    assert notice_of(HostedGame(game.head, game.entries)) == first


def test_a_turn_in_which_the_player_has_moved_is_not_announced() -> None:
    """For example at a restart: they know that it is theirs."""
    game = hosted("cathedral")
    while (after := played(game)).turn != game.turn:
        game = after
    assert game.called is not None
    assert after.called is None
    assert not begins_turn(game, after)


def test_each_turn_of_a_game_has_a_name_of_its_own() -> None:
    game, names = hosted(seats="pp"), []
    while not game.over:
        names += [game.called] if game.called is not None else []
        game = played(game)
    assert sorted({*names}) == names
