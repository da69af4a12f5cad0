from pathlib import Path

from clerestory.engine.cathedral.catalogue import Catalogue
from clerestory.engine.core import Game

class CathedralGame(Game):
    def __init__(self, catalogue: Catalogue | Path | str | None = None) -> None: ...
