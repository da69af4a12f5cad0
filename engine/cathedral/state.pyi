from clerestory.engine.cathedral.names import Names
from clerestory.engine.layout import Layout

def layout_of(names: Names) -> Layout: ...
