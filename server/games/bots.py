"""Bots call the advisor like any other caller, with the same admission, metrics and deadlines."""

import secrets
from typing import Any

from clerestory.server.callers import Caller
from clerestory.server.errors import CallError, Reason
from clerestory.server.games.kept import ServerGame
from clerestory.server.games.log import BotSettings
from clerestory.server.games.translate_games import bot_question, only_action
from clerestory.server.service import AdvisorHandlers

GUESS_BITS = 53


class Bots:
    """Chooses moves.

    Args:
        advisor: of this server.
    """

    def __init__(self, advisor: AdvisorHandlers) -> None:
        self._advisor = advisor

    async def choose(self, kept: ServerGame, seat: int, bot: BotSettings) -> str:
        """Return the text of the move that a bot makes. Raises CallError, for example BUSY.

        If nobody at a physical table has entered what the bot's own card shows it, it assumes one of the possibilities.
        """
        forced = only_action(kept)
        if forced is not None:
            return forced
        try:
            return await self._ask(bot_question(kept, seat, bot), kept)
        except CallError as error:
            if error.reason != Reason.HIDDEN_FROM_SEAT:
                raise
        guess = secrets.randbits(GUESS_BITS)
        return await self._ask(bot_question(kept, seat, bot, guess=guess), kept)

    async def _ask(self, question: Any, kept: ServerGame) -> str:
        answer = await self._advisor.recommend(question, Caller("game", kept.head.game_id))
        return answer.best.text
