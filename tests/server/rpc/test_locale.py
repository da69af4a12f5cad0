"""Labels and changes are in the language that a call requests, else in English."""

from collections.abc import Awaitable
from typing import Any

import pytest
from google.rpc.error_details_pb2 import LocalizedMessage
from grpc_status import rpc_status

from clerestory.engine import GAMES, State, from_position
from clerestory.i18n import patterns, say
from clerestory.i18n.cards import card_names
from clerestory.i18n.labels import Labels
from clerestory.i18n.languages import ENGLISH, LANGUAGES
from clerestory.i18n.sentences import QuotedAction, text
from clerestory.search.review import PlyValuation
from clerestory.server.rpc.errors import for_users
from clerestory.server.rpc.locale import LOCALE
from clerestory.server.rpc.translate_annotation import read_plies, write_plies, write_ply
from clerestory.service_errors import Reason
from clerestory.v1 import rules_pb2 as api
from clerestory.v1.games_pb2 import WatchGameRequest
from tests.laws import walk
from tests.server.games.table import PERSON, first_action, table
from tests.server.rpc.harness import Served, details, question, refusal
from tests.server.rpc.rules import CASES, whole

OTHERS = [language for language in LANGUAGES if language != ENGLISH]
Asked = tuple[tuple[str, str], ...]


def beginning(seats: int = 2) -> State:
    state = GAMES["cathedral"].new(seats, 7)
    state.play_nature(7)
    return state


def asking(header: str) -> Asked:
    return (("accept-language", header),)


async def told(call: Any) -> str | None:
    value = dict(await call.initial_metadata()).get("content-language")
    return None if value is None else str(value)


def actions_of(rules: Any, state: State, metadata: Asked | None = None) -> Awaitable[Any]:
    asked: Awaitable[Any] = rules.ListActions(api.ListActionsRequest(position=whole(state)), metadata=metadata)
    return asked


@pytest.mark.parametrize("language", OTHERS)
async def test_labels_are_in_the_language_that_is_asked_for(rules: Any, language: str) -> None:
    for name, seats in CASES:
        labels = Labels(name, GAMES[name].cards(), language)
        for state in [state.copy() for state in walk(GAMES[name], seats, 4)][:-1:40]:
            call = actions_of(rules, state, asking(f"{language}-XX,en;q=0.5"))
            answer = await call
            assert await told(call) == language
            expected = {action.text: labels.label(action.text, action.label) for action in state.legal_actions()}
            assert {one.action.text: one.action.label for one in answer.actions} == expected


async def test_a_call_without_a_language_is_answered_in_english(rules: Any) -> None:
    """Also after a call that asked for a language."""
    state = beginning(3)
    await actions_of(rules, state, asking("it"))
    call = actions_of(rules, state)
    answer = await call
    assert [one.action.label for one in answer.actions] == [action.label for action in state.legal_actions()]
    assert await told(call) is None
    for header in ("en", "pt-BR", "*", "", "de;q=0", "x" * 4000):
        call = actions_of(rules, state, asking(header))
        assert await call == answer
        assert await told(call) == ENGLISH


async def test_changes_are_described_in_the_language(rules: Any) -> None:
    *_, last = walk(GAMES["cathedral"], 2, 3)
    actions = [action.text for action in last.history]
    request = api.ApplyActionsRequest(position=whole(last.origin), actions=actions, seed=1)
    english = await rules.ApplyActions(request)
    german = await rules.ApplyActions(request, metadata=asking("de"))
    texts = [{change.text for done in answer.applied for change in done.changes} for answer in (english, german)]
    assert any("gold (wool mill)" in text for text in texts[0])
    assert any("Gold (Wollmanufaktur)" in text for text in texts[1])
    assert not [text for text in texts[1] if "points" in text or "{" in text]
    for answer in (english, german):
        for done in answer.applied:
            done.action.ClearField("label")
            for change in done.changes:
                change.ClearField("text")
    assert english == german


async def test_everybody_who_watches_a_game_reads_their_own_language() -> None:
    async with table(PERSON, PERSON, game="cathedral") as played:
        request = WatchGameRequest(game_id=played.game_id, tokens=played.tokens())
        watching = [
            played.stub.WatchGame(request, metadata=metadata) for metadata in (None, asking("fr"), asking("he"), None)
        ]
        first = [await one.read() for one in watching]
        mover = first[0].game.turn.seat
        await played.play(first_action(first[0]), first[0].game.version, mover)
        after = [await one.read() for one in watching]
        for states in (first, after):
            labels = [[one.action.label for view in state.views for one in view.actions] for state in states]
            assert labels[0] == labels[3]
            assert labels[0]
            assert len({tuple(one) for one in labels}) == 3
        entries = [state.entries[0].applied.action for state in after]
        assert len({entry.text for entry in entries}) == 1
        assert len({entry.label for entry in entries}) == 3


@pytest.mark.parametrize(
    ("language", "message"), [("de", "Dieses Spiel gibt es nicht."), ("en", "There is no such game.")]
)
async def test_an_error_is_in_english_with_a_message_in_the_language(rules: Any, language: str, message: str) -> None:
    request = api.DescribeCatalogueRequest(game="chess")
    error = await refusal(rules.DescribeCatalogue(request, metadata=asking(language)))
    told = details(error, LocalizedMessage)
    assert "chess" in str(error.details())
    assert dict(error.initial_metadata()) == {"content-language": language}
    assert (told.locale, told.message) == (language, message)
    plain = rpc_status.from_call(await refusal(rules.DescribeCatalogue(request)))
    assert LocalizedMessage.DESCRIPTOR.full_name not in str(plain)


@pytest.mark.parametrize(("reason", "exactly"), [(Reason.NO_SUCH_PUZZLE, False), (Reason.ILLEGAL_ACTION, True)])
def test_users_see_the_details_where_they_help(reason: Reason, exactly: bool) -> None:
    message = for_users(reason, "actions[2]: 'pass' is not legal", ENGLISH).message
    assert message.startswith(say("errors", reason, language=ENGLISH))
    assert ("actions[2]" in message) == exactly


def test_every_reason_of_an_error_has_a_sentence() -> None:
    assert set(patterns("errors")) == set(Reason)


async def test_advice_has_texts_in_the_language_and_codes(server: Served) -> None:
    asked = question(beginning().observe(0), iterations=60, seed=3, threads=64)
    labels = Labels("cathedral", GAMES["cathedral"].cards(), "fr")
    english = await server.advisor.RecommendMove(asked)
    french = await server.advisor.RecommendMove(asked, metadata=asking("fr"))
    assert french.best.label == labels.label(french.best.text, "")
    for line in french.lines:
        assert line.action.label == labels.label(line.action.text, "")
        assert [one.label for one in line.variation] == [labels.label(one.text, "") for one in line.variation]
    assert english.warnings
    for one, other in zip(english.warnings, french.warnings, strict=True):
        assert one.description == one.message.english == one.message.text == other.message.english
        assert other.description == other.message.text != one.description
        assert one.message.code == other.message.code
    assert french.reason == " ".join(one.text for one in french.reasons) != english.reason
    assert french.lead.text != french.lead.english == english.lead.text


async def test_a_stored_review_does_not_depend_on_the_language() -> None:
    ply = PlyValuation(
        ply=1, round=1, seat=0, action="pass", label="pass: no more cards this round", source="", before=(1, 0),
        after=(1, 0), best="pass", best_label="pass: no more cards this round", points=0.0, stake=0, iterations=9,
        line=("pass",), reason="“a” looks about as good as “b”.",
        reasons=(text("reason.alike", best=QuotedAction("pass", "a"), other=QuotedAction("pass", "b")),),
    )  # fmt: skip
    game, before = GAMES["cathedral"], write_plies([ply], GAMES["cathedral"])
    asked = LOCALE.set("it")
    try:
        assert write_plies([ply], game) == before
        shown = write_ply(ply, game)
    finally:
        LOCALE.reset(asked)
    assert shown.action.label == Labels("cathedral", game.cards(), "it").label("pass", "")
    assert shown.reason == shown.reasons[0].text != ply.reason
    assert read_plies(before) == {1: ply}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_missing_craftsman_is_named_in_the_requested_language(rules: Any, language: str) -> None:
    fields = next(one for one in walk(GAMES["cathedral"], 2, 4) if legal_conversions(one)).to_position()
    fields["cathedral"]["players"][("red", "blue").index(fields["cathedral"]["to_act"])]["craftsmen"] = ["mason_1"]
    request = api.PlanConversionsRequest(position=whole(from_position(fields)))
    request.uses.add(item="mason_1", times=1)
    answer = await rules.PlanConversions(request, metadata=asking(language))
    [fault] = [one for one in answer.faults if one.code == "needs"]
    names = {row["id"]: row for rows in GAMES["cathedral"].cards().values() for row in rows}
    for card in ("mason_1", "mortar_mixer"):
        name = names[card]["name"] if language == ENGLISH else card_names("cathedral", names[card])[language].text
        assert name in fault.text


def legal_conversions(state: State) -> bool:
    return any(action.text.startswith("convert") for action in state.legal_actions())
