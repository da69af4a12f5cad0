"""Bots call the advisor for the maker of their game, with the same admission, metrics and deadlines as any call."""

import secrets
from typing import Any

from clerestory.advice.demand import Priority
from clerestory.games.kept import ServerGame
from clerestory.games.log import BotSettings
from clerestory.refusals import Reason, Refusal
from clerestory.server.callers import DIGEST_SHOWN, Caller
from clerestory.server.service import AdvisorHandlers
from clerestory.server.translate_games import bot_question, only_action

GUESS_BITS = 53


class Bots:
    """Chooses moves.

    Args:
        advisor: of this server.
    """

    def __init__(self, advisor: AdvisorHandlers) -> None:
        self._advisor = advisor

    async def choose(self, kept: ServerGame, seat: int, bot: BotSettings) -> str:
        """Return the text of the move that a bot makes. Raises Refusal, for example BUSY.

        If nobody at a physical table has entered what the bot's own card shows it, it assumes one of the possibilities.
        """
        forced = only_action(kept)
        if forced is not None:
            return forced
        caller, priority = searching_for(kept)
        await self._advisor.wait_for_place(caller, priority)
        try:
            return await self._ask(bot_question(kept, seat, bot), kept)
        except Refusal as error:
            if error.reason != Reason.HIDDEN_FROM_SEAT:
                raise
        guess = secrets.randbits(GUESS_BITS)
        return await self._ask(bot_question(kept, seat, bot, guess=guess), kept)

    async def _ask(self, question: Any, kept: ServerGame) -> str:
        caller, priority = searching_for(kept)
        answer = await self._advisor.recommend(question, caller, priority=priority)
        return answer.best.text


def searching_for(kept: ServerGame) -> tuple[Caller, Priority]:
    """Return whose the searches of a game's bots are, and in which order they come.

    They are its maker's. Those of the games that nobody plays in are one part of the maker's searches, however many
    games these are, and have what all other searches leave.
    """
    maker = Caller(kept.head.maker, label=f"maker:{kept.head.maker[:DIGEST_SHOWN]}")
    if kept.bots_only:
        return maker.at("bots"), Priority.BACKGROUND
    return maker.at(f"game:{kept.head.game_id}"), Priority.MOVE
