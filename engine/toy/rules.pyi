from clerestory.engine.core import Game

class ToyGame(Game):
    def __init__(self) -> None: ...

TOY: ToyGame

def actions() -> list[tuple[str, str]]: ...
