from pathlib import Path

from clerestory.engine.core import Game

class DuelGame(Game):
    def use_catalogue(self, path: Path | str) -> None: ...

DUEL: DuelGame
