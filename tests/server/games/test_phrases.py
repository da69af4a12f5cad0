"""Set phrases between players: who says them, who hears them, and how many."""

import grpc
import pytest

from clerestory.server.games import scenes
from clerestory.server.games.session import KEPT_PHRASES, PHRASE_BURST, PHRASE_INTERVAL_MS, Phrases
from clerestory.service_errors import Reason, ServiceError
from clerestory.v1 import games_pb2 as games
from tests.server.games.table import NOW, PERSON, Table, table
from tests.server.rpc.harness import assert_reason, refusal

SAID = [games.PHRASE_HELLO, games.PHRASE_GOOD_LUCK, games.PHRASE_NICE_MOVE, games.PHRASE_OOPS]


# -- how many --------------------------------------------------------------------------------------


def test_a_seat_sends_a_few_in_a_row_and_then_one_at_each_interval() -> None:
    phrases = Phrases()
    for phrase in SAID[:PHRASE_BURST]:
        assert phrases.send(0, phrase, NOW)
    with pytest.raises(ServiceError) as caught:
        phrases.send(0, SAID[PHRASE_BURST], NOW + 1)
    assert (caught.value.reason, caught.value.retry) == (Reason.TOO_MANY_PHRASES, (PHRASE_INTERVAL_MS - 1) / 1000)
    assert caught.value.faults[0][0] == "phrase"
    assert phrases.send(1, SAID[0], NOW + 1), "the limit is that of the other seat"
    assert phrases.send(0, SAID[PHRASE_BURST], NOW + PHRASE_INTERVAL_MS)
    with pytest.raises(ServiceError):
        phrases.send(0, SAID[0], NOW + PHRASE_INTERVAL_MS)


def test_a_repetition_has_no_effect() -> None:
    phrases = Phrases()
    assert [phrases.send(0, SAID[0], NOW + after) for after in (0, PHRASE_INTERVAL_MS - 1, PHRASE_INTERVAL_MS)] == [
        True,
        False,
        True,
    ]
    assert [one.number for one in phrases.since(0)] == [1, 2]


def test_only_the_latest_are_kept() -> None:
    phrases = Phrases()
    for number in range(KEPT_PHRASES + 3):
        phrases.send(number, SAID[0], NOW)
    assert [one.seat for one in phrases.since(0)] == list(range(3, KEPT_PHRASES + 3))
    assert [one.seat for one in phrases.since(KEPT_PHRASES + 2)] == [KEPT_PHRASES + 2]


# -- who says and hears them -----------------------------------------------------------------------


async def say(played: Table, phrase: int, tokens: list[str], **fields: int) -> games.SendPhraseResponse:
    sent: games.SendPhraseResponse = await played.call("SendPhrase", tokens=tokens, phrase=phrase, **fields)
    return sent


async def heard(stream: object) -> list[tuple[int, int]]:
    """Return the next phrases of a stream."""
    while True:
        message = await stream.read()  # type: ignore[attr-defined]
        if message.phrases:
            assert not message.HasField("game")
            return [(one.seat, one.phrase) for one in message.phrases]


async def test_players_and_the_owner_hear_what_a_seat_says(played: Table) -> None:
    before = await played.look(0)
    streams = [played.watch(0), played.watch(1), played.call("WatchGame", tokens=played.owner)]
    for stream in streams:
        await stream.read()
    await say(played, games.PHRASE_HELLO, played.tokens(1))
    assert [await heard(stream) for stream in streams] == [[(1, games.PHRASE_HELLO)]] * 3
    await say(played, games.PHRASE_THANKS, played.tokens(), seat=1)
    await say(played, games.PHRASE_SORRY, played.tokens())
    expected = [(1, games.PHRASE_THANKS), (0, games.PHRASE_SORRY)]
    told = await heard(streams[0])
    assert told + ([] if len(told) == 2 else await heard(streams[0])) == expected
    assert await played.look(0) == before, "nothing is in the log"


async def test_onlookers_hear_nothing_and_say_nothing() -> None:
    options = games.GameOptions(onlookers=games.ONLOOKERS_ALL)
    async with table(PERSON, PERSON, options=options) as played:
        watching, playing = played.call("WatchGame"), played.watch(0)
        for stream in (watching, playing):
            await stream.read()
        await say(played, games.PHRASE_HELLO, played.tokens(0))
        assert await heard(playing) == [(0, games.PHRASE_HELLO)]
        await played.play_first(0)
        while not (message := await watching.read()).entries:
            assert not message.phrases
        for tokens in ([], played.owner, ["x"]):
            assert_reason(await refusal(say(played, games.PHRASE_HELLO, tokens)), Reason.WRONG_SEAT_TOKEN)
        assert_reason(await refusal(say(played, games.PHRASE_HELLO, played.tokens(0), seat=1)), Reason.WRONG_SEAT_TOKEN)


@pytest.mark.parametrize("phrase", [games.PHRASE_UNSPECIFIED, 11, -1])
async def test_a_phrase_outside_the_list_is_rejected(phrase: int, played: Table) -> None:
    error = await refusal(say(played, phrase, played.tokens(0)))
    assert_reason(error, Reason.BAD_PHRASE)
    assert (error.details() or "").startswith("phrase: ")


async def test_a_stream_may_go_on_after_the_end(monkeypatch: pytest.MonkeyPatch, played: Table) -> None:
    stream = played.watch(0, after_end=True)
    await played.call("EndGame", tokens=played.owner, reason=games.END_REASON_ABANDONED)
    while (await stream.read()).game.status != games.GAME_STATUS_OVER:
        pass
    await say(played, games.PHRASE_WELL_PLAYED, played.tokens(1))
    assert await heard(stream) == [(1, games.PHRASE_WELL_PLAYED)]
    monkeypatch.setattr(scenes, "AFTER_END_MS", -1)
    await say(played, games.PHRASE_GOODBYE, played.tokens(1))
    while (message := await stream.read()) != grpc.aio.EOF:
        assert not message.phrases
    assert len([message async for message in played.watch(0, after_end=True)]) == 1
