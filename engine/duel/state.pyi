from clerestory.engine.duel.names import Names
from clerestory.engine.layout import Layout

def layout_of(names: Names) -> Layout: ...
