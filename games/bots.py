"""Bots ask the analyst for the maker of their game, with the same admission, figures and deadlines as any call."""

from collections.abc import Callable

from clerestory.advice.analyst import Admission, Analyst, wait_for_room
from clerestory.advice.answer import Answer
from clerestory.advice.caller import DIGEST_SHOWN, Caller
from clerestory.advice.demand import Priority
from clerestory.advice.question import Question, Terms, pose
from clerestory.games.kept import ServerGame
from clerestory.games.log import BotSettings
from clerestory.refusals import Reason, Refusal
from clerestory.seeds import drawn_seed

ASKER = "Bot"  # in figures: nobody has called for the move of a bot


class Bots:
    """Chooses moves.

    Args:
        analyst: who searches them.
    """

    def __init__(self, analyst: Analyst) -> None:
        self._analyst = analyst

    async def choose(self, kept: ServerGame, seat: int, bot: BotSettings) -> str:
        """Return the text of the move that a bot makes. Raises Refusal, for example BUSY.

        If nobody at a physical table has entered what the bot's own card shows it, it assumes one of the possibilities.
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
        """Return the answer to what a bot asks; it waits while others have to get their minimum first."""
        while True:
            admission, seconds = admitted()
            try:
                return await self._analyst.ask(question_of(kept, seat, bot, seconds), admission)
            except Refusal as refusal:
                await wait_for_room(refusal)


def only_action(kept: ServerGame) -> str | None:
    """Return the text of the only legal action, None if there is a choice."""
    legal = kept.position.legal_actions()
    return legal[0].text if len(legal) == 1 else None


def question_of(kept: ServerGame, seat: int, bot: BotSettings, seconds: float | None = None) -> Question:
    """Return what a bot asks that is to decide, and has so many seconds, by default its own. Raises Refusal."""
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
    """Return whose the searches of a game's bots are, and in which order they come.

    They are its maker's. Those of the games that nobody plays in are one part of the maker's searches, however many
    games these are, and have what all other searches leave.
    """
    maker = Caller(kept.head.maker, label=f"maker:{kept.head.maker[:DIGEST_SHOWN]}")
    if kept.bots_only:
        return maker.at("bots"), Priority.BACKGROUND
    return maker.at(f"game:{kept.head.game_id}"), Priority.MOVE
