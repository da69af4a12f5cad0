"""Position files, in every form of JSON that a server takes."""

from clerestory.engine import BadPosition, State, from_position
from clerestory.engine.core import read_json
from clerestory.i18n.sentences import text


def read_position(written: str | bytes) -> State:
    """Return the position in the text of a file. Raises BadPosition, which lists everything that is wrong with it."""
    from google.protobuf.json_format import MessageToDict

    from clerestory.protojson import BadJson, parse
    from clerestory.v1.position_pb2 import Position

    read_json(written)  # which says in the user's language why it is no object
    try:
        message = parse(Position(), written)
    except BadJson as error:
        faults = [(path or "position", text("fault.other", what=what)) for path, what in error.faults]
        raise BadPosition(faults) from None
    return from_position(
        MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    )
