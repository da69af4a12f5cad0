from pathlib import Path

from clerestory.engine.core import Game
from clerestory.engine.duel.data.catalogue import DuelCatalogue

class DuelGame(Game):
    def __init__(self, catalogue: DuelCatalogue | Path | str | None = None) -> None: ...
