from pathlib import Path

from clerestory.engine.core import Game

class CathedralGame(Game):
    def use_catalogue(self, path: Path | str) -> None: ...

CATHEDRAL: CathedralGame
