"""Chooses the moves of bots with the analysis engine, with the admission, metrics and deadlines of ordinary calls."""

from collections.abc import Callable

from clerestory.seeds import random_seed
from clerestory.server.analysis.admission import Admission
from clerestory.server.analysis.analysis_engine import AnalysisEngine, wait_for_room
from clerestory.server.analysis.answer import Answer
from clerestory.server.analysis.caller import DIGEST_SHOWN, Caller
from clerestory.server.analysis.demand import Priority
from clerestory.server.analysis.limits import Limits
from clerestory.server.analysis.question import Question, validate_query
from clerestory.server.games.hosted import HostedGame
from clerestory.server.games.log import BotSettings
from clerestory.service_errors import Reason, ServiceError

ASKER = "Bot"  # in metrics, because bots make no calls


class Bots:
    """Chooses moves for bots.

    Args:
        analysis: the analysis engine.
    """

    def __init__(self, analysis: AnalysisEngine) -> None:
        self._analysis = analysis

    async def choose(self, hosted: HostedGame, seat: int, bot: BotSettings) -> str:
        """Return the text of a bot's move. Raises ServiceError, for example BUSY.

        If no one at a physical table has entered the bot's private card, the bot assumes one of the possibilities.
        """
        forced = only_action(hosted)
        if forced is not None:
            return forced
        caller, priority = searching_for(hosted)
        async with self._analysis.place(caller, priority, bot.seconds, ASKER) as admitted:
            answer = await self._answer(hosted, seat, bot, admitted)
        assert answer.best is not None
        return answer.best.action

    async def _answer(
        self, hosted: HostedGame, seat: int, bot: BotSettings, admitted: Callable[[], tuple[Admission, float]]
    ) -> Answer:
        """Return the answer to a bot's query, waiting while other searches have precedence."""
        while True:
            admission, seconds = admitted()
            try:
                return await self._analysis.ask(question_of(hosted, seat, bot, seconds), admission)
            except ServiceError as error:
                await wait_for_room(error)


def only_action(hosted: HostedGame) -> str | None:
    """Return the text of the only legal action; None if there is a choice."""
    legal = hosted.position.legal_actions()
    return legal[0].text if len(legal) == 1 else None


def question_of(hosted: HostedGame, seat: int, bot: BotSettings, seconds: float | None = None) -> Question:
    """Return the query of a bot that has to move, with a time in seconds (by default its own). Raises ServiceError."""
    known = hosted.position.observe(seat)
    limits = Limits(
        seconds=seconds or bot.seconds, level=bot.level, character=bot.character, game_id=hosted.head.game_id
    )
    try:
        return validate_query(known, limits, seat=seat)
    except ServiceError as error:
        if error.reason != Reason.HIDDEN_FROM_SEAT:
            raise
    guessed = known.determinize(random_seed())
    return validate_query(guessed, limits, seat=seat)


def searching_for(hosted: HostedGame) -> tuple[Caller, Priority]:
    """Return the caller and the priority of the searches for a game's bots.

    The caller is the game's creator. All games of bots only are one part of the creator's searches, at background
    priority.
    """
    maker = Caller(hosted.head.maker, label=f"maker:{hosted.head.maker[:DIGEST_SHOWN]}")
    if hosted.bots_only:
        return maker.at("bots"), Priority.BACKGROUND
    return maker.at(f"game:{hosted.head.game_id}"), Priority.MOVE
