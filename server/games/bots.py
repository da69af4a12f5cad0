"""Chooses the moves of bots with the analysis engine, with the admission, metrics and deadlines of ordinary calls."""

from collections.abc import Callable

from clerestory.refusals import Reason, Refusal
from clerestory.seeds import drawn_seed
from clerestory.server.analysis.analyst import Admission, Analyst, wait_for_room
from clerestory.server.analysis.answer import Answer
from clerestory.server.analysis.caller import DIGEST_SHOWN, Caller
from clerestory.server.analysis.demand import Priority
from clerestory.server.analysis.question import Question, Terms, pose
from clerestory.server.games.kept import ServerGame
from clerestory.server.games.log import BotSettings

ASKER = "Bot"  # in metrics, because bots make no calls


class Bots:
    """Chooses moves for bots.

    Args:
        analyst: the analysis engine.
    """

    def __init__(self, analyst: Analyst) -> None:
        self._analyst = analyst

    async def choose(self, kept: ServerGame, seat: int, bot: BotSettings) -> str:
        """Return the text of a bot's move. Raises Refusal, for example BUSY.

        If no one at a physical table has entered the bot's private card, the bot assumes one of the possibilities.
        """
        forced = only_action(kept)
        if forced is not None:
            return forced
        caller, priority = searching_for(kept)
        async with self._analyst.place(caller, priority, bot.seconds, ASKER) as admitted:
            answer = await self._answer(kept, seat, bot, admitted)
        assert answer.best is not None
        return answer.best.action

    async def _answer(
        self, kept: ServerGame, seat: int, bot: BotSettings, admitted: Callable[[], tuple[Admission, float]]
    ) -> Answer:
        """Return the answer to a bot's query, waiting while other searches have precedence."""
        while True:
            admission, seconds = admitted()
            try:
                return await self._analyst.ask(question_of(kept, seat, bot, seconds), admission)
            except Refusal as refusal:
                await wait_for_room(refusal)


def only_action(kept: ServerGame) -> str | None:
    """Return the text of the only legal action; None if there is a choice."""
    legal = kept.position.legal_actions()
    return legal[0].text if len(legal) == 1 else None


def question_of(kept: ServerGame, seat: int, bot: BotSettings, seconds: float | None = None) -> Question:
    """Return the query of a bot that has to move, with a time in seconds (by default its own). Raises Refusal."""
    known = kept.position.observe(seat)
    terms = Terms(seconds=seconds or bot.seconds, level=bot.level, character=bot.character, game_id=kept.head.game_id)
    try:
        return pose(known, terms, seat=seat)
    except Refusal as refusal:
        if refusal.reason != Reason.HIDDEN_FROM_SEAT:
            raise
    guessed = known.deal(drawn_seed())
    return pose(guessed, terms, seat=seat)


def searching_for(kept: ServerGame) -> tuple[Caller, Priority]:
    """Return the caller and the priority of the searches for a game's bots.

    The caller is the game's creator. All games of bots only are one part of the creator's searches, at background
    priority.
    """
    maker = Caller(kept.head.maker, label=f"maker:{kept.head.maker[:DIGEST_SHOWN]}")
    if kept.bots_only:
        return maker.at("bots"), Priority.BACKGROUND
    return maker.at(f"game:{kept.head.game_id}"), Priority.MOVE
