from clerestory.engine.core import Game

class ToyGame(Game): ...

TOY: ToyGame

def actions() -> list[tuple[str, str]]: ...
