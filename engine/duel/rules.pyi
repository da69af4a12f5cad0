from pathlib import Path

from clerestory.engine.core import Game
from clerestory.engine.duel.catalogue import Catalogue

class DuelGame(Game):
    def __init__(self, catalogue: Catalogue | Path | str | None = None) -> None: ...
