from pathlib import Path

from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from clerestory.engine.core import Game

class CathedralGame(Game):
    def __init__(self, catalogue: CathedralCatalogue | Path | str | None = None) -> None: ...
