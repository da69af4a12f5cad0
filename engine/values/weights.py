"""Files of weights of a learned value: read and written without NumPy, and validated.

In the file, all numbers are little-endian. It consists of the magic bytes, a format version and the length of the
header (uint32 each), the header in JSON, padded with spaces to 64 bytes, the arrays as float32 in the order of the
header, and the CRC-32 of everything before it. The header has the game, rules revision, catalogue, the signature of the
features, the effects of its cards, each array with its shape, and the provenance of the weights. The last array,
`priors`, is optional.
"""

import hashlib
import json
import math
import struct
import zlib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clerestory.engine.core import Game
from clerestory.engine.errors import BadWeights

MAGIC = b"CLERNET\n"
VERSION = 2
HEAD = struct.Struct("<8sII")
ALIGNMENT = 64
HIDDEN, SECOND = 32, 16  # units of the two layers
PRIORS = "priors"
MOST_CODES = 1 << 16  # maximum number of action codes
FIELDS = ("game", "rules_revision", "catalogue", "features", "cards", "arrays", "provenance")

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a net (net.pyx) for one game.

    Attributes:
        catalogue: hash of the card catalogue that they were learned with.
        cards: effects of its cards, as `Inputs.cards`, for a seat and for the table.
        arrays: float32, row by row, by the names of `shapes`.
        provenance: how they were made, as JSON.
        checksum: 8 hexadecimal digits, equal for equal files.
        priors: learned factors of the guide's weights, float32 above 0, by number of seats (lowest first), round (from
            1), and action code; later rounds use those of the last. None if the file has none for the action codes
            of the cards in use.
    """

    catalogue: str
    cards: "list[dict[str, list[list[float]]]]"
    arrays: dict[str, "array[float]"]
    provenance: dict[str, Any]
    checksum: str
    priors: "memoryview[float] | None" = None


def shapes(game: Game, rounds: int = 0) -> dict[str, Shape]:
    """Return the shape of each array of a net for a game, with priors for some rounds, if not 0.

    Raises BadWeights for a game without features.
    """
    own, table = map(len, game.input_names)
    if not own:
        raise BadWeights(f"{game.name} has no features to learn from")
    priors = {PRIORS: (len(game.seats), rounds, game.num_actions)} if rounds else {}
    return {
        "own": (own, HIDDEN),
        "others": (own, HIDDEN),
        "table": (table, HIDDEN),
        "bias": (HIDDEN,),
        "second": (HIDDEN, SECOND),
        "second_bias": (SECOND,),
        "score": (SECOND,),
        "score_bias": (1,),
        "strength": (SECOND,),
        **priors,
    }


def rounds_of(listed: object) -> int:
    """Return the number of rounds of the priors among shapes by name: 0 without priors, 1 if their shape is wrong."""
    match listed:
        case {"priors": [_, int(rounds), _]} if rounds > 0:
            return rounds
        case {"priors": _}:
            return 1
    return 0


def signature(game: Game) -> str:
    """Return 16 hexadecimal digits of the names of a game's features, in order."""
    return hashlib.sha256(json.dumps(game.input_names).encode()).hexdigest()[:16]


def write_weights(path: Path | str, arrays: Mapping[str, Any], provenance: Mapping[str, Any], *, game: Game) -> None:
    """Write weights to a file, for the game with its current cards.

    Args:
        path: path of the file, which is replaced atomically.
        arrays: NumPy arrays, or anything with their `astype` and `tobytes`, with the names and shapes of `shapes`:
            those of the net, and optionally `priors`.
        provenance: how they were made, as JSON.
        game: the game of the weights.

    The file also stores the effects of the game's cards.

    Raises BadWeights for a missing or unknown name, a wrong shape, a number that is not finite, or a factor of `priors`
    that is not above 0.
    """
    wanted = shapes(game, rounds_of({name: array.shape for name, array in arrays.items()}))
    if arrays.keys() != wanted.keys():
        raise BadWeights(f"arrays: {', '.join(sorted(arrays))}; they must be {', '.join(sorted(wanted))}")
    for name, shape in wanted.items():
        if arrays[name].shape != shape:
            raise BadWeights(f"{name}: shape {arrays[name].shape}; it must be {shape}")
    header = {
        **game.identity(),
        "features": signature(game),
        "cards": [side.cards for side in game.sides],
        "arrays": {name: list(shape) for name, shape in wanted.items()},
        "provenance": dict(provenance),
    }
    body = b"".join(arrays[name].astype("<f4").tobytes() for name in wanted)
    content = packed(header, body)
    parse_weights(content, game)
    partial = Path(f"{path}.partial")
    partial.write_bytes(content)
    partial.replace(path)


def packed(header: Mapping[str, Any], body: bytes) -> bytes:
    """Return the bytes of a file."""
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-(HEAD.size + len(text)) % ALIGNMENT)
    content = HEAD.pack(MAGIC, VERSION, len(text)) + text + body
    return content + struct.pack("<I", zlib.crc32(content))


def read_weights(path: Path | str, game: Game) -> Weights:
    """Return the weights in a file, which must be for this game, its rules and its features, with any cards.

    Raises BadWeights, which states the error.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise BadWeights(f"{path}: cannot be read: {error}") from None
    try:
        return parse_weights(content, game)
    except BadWeights as error:
        raise type(error)(f"{path}: {error}") from None


def parse_weights(content: bytes, game: Game) -> Weights:
    """Return the weights in the bytes of a file. Raises BadWeights."""
    header, body, checksum = opened(content)
    require("game", header["game"], game.name)
    require("rules_revision", header["rules_revision"], game.rules_revision)
    require_features(header, game)
    wanted = shapes(game, rounds_of(header["arrays"]))
    priors = priors_shape(header["arrays"], wanted)
    if priors:
        wanted[PRIORS] = priors
    require("arrays", header["arrays"], {name: list(shape) for name, shape in wanted.items()})
    sizes = {name: math.prod(shape) for name, shape in wanted.items()}
    require("size", len(body), 4 * sum(sizes.values()))
    arrays = arrays_of(body, sizes)
    factors = factors_of(arrays.pop(PRIORS), priors) if priors else None
    ours = factors if priors and priors[2] == game.num_actions else None
    return Weights(header["catalogue"], cards_of(header), arrays, header["provenance"], f"{checksum:08x}", ours)


def opened(content: bytes) -> tuple[dict[str, Any], bytes, int]:
    """Return header, arrays and checksum of a file. Raises BadWeights."""
    if not content.startswith(MAGIC):
        raise BadWeights("is not a file of weights: its first bytes are wrong")
    if len(content) < HEAD.size + 4 or len(content) < HEAD.size + HEAD.unpack_from(content)[2] + 4:
        raise BadWeights(f"is truncated, at {len(content)} bytes")
    _, version, length = HEAD.unpack_from(content)
    if version != VERSION:
        raise BadWeights(f"version: is {version}, and {VERSION} is needed; learn the value again (`clerestory learn`)")
    [checksum] = struct.unpack("<I", content[-4:])
    if zlib.crc32(content[:-4]) != checksum:
        raise BadWeights("is damaged or truncated: its checksum does not match")
    return read_header(content[HEAD.size : HEAD.size + length]), content[HEAD.size + length : -4], checksum


def read_header(text: bytes) -> dict[str, Any]:
    """Return the header. Raises BadWeights if it is invalid."""
    try:
        header = json.loads(text)
    except ValueError:
        raise BadWeights("header: is not JSON") from None
    if not isinstance(header, dict) or header.keys() != set(FIELDS) or not isinstance(header["catalogue"], str):
        raise BadWeights(f"header: must have {', '.join(FIELDS)}")
    return header


def require(name: str, value: object, wanted: object) -> None:
    """Raise BadWeights unless a value is the expected one."""
    if value != wanted:
        raise BadWeights(f"{name}: is {str(value)[:80]!r}, and {str(wanted)[:80]!r} is needed")


def require_features(header: Mapping[str, Any], game: Game) -> None:
    """Raise BadWeights unless the features are those of this build."""
    if header["features"] != signature(game):
        needed = f"is {str(header['features'])[:80]!r}, and {signature(game)!r} is needed"
        raise BadWeights(f"features: {needed}: this build sees others; learn the value again (`clerestory learn`)")


def distance(one: Mapping[str, Sequence[Sequence[float]]], other: Mapping[str, Sequence[Sequence[float]]]) -> float:
    """Return the distance between the cards of two catalogues: 0 if all have equal effects, 1 if they share none.

    Given the `cards` of a side of each, it is the sum of all differences of amounts divided by the sum of the larger
    amounts (Ruzicka's distance).
    """
    apart = whole = 0.0
    for card in {**one, **other}:
        mine, theirs = ({int(feature): amount for feature, amount in side.get(card, ())} for side in (one, other))
        for feature in {**mine, **theirs}:
            a, b = mine.get(feature, 0.0), theirs.get(feature, 0.0)
            apart += abs(a - b)
            whole += max(abs(a), abs(b))
    return apart / whole if whole else 0.0


def cards_of(header: Mapping[str, Any]) -> list[dict[str, list[list[float]]]]:
    """Return the effects of the cards. Raises BadWeights unless they are given for a seat and for the table."""
    match header["cards"]:
        case [dict(own), dict(table)] if all(map(is_row, (*own.values(), *table.values()))):
            return [own, table]
    raise BadWeights("cards: must be two tables of lists of pairs, a feature and an amount")


def is_row(row: object) -> bool:
    """Return whether something is a list of pairs of a whole number and a finite number."""
    return isinstance(row, list) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], int) and is_number(pair[1]) for pair in row
    )


def is_number(amount: object) -> bool:
    """Return whether something is a finite number."""
    return isinstance(amount, int | float) and math.isfinite(amount)


def priors_shape(listed: Mapping[str, Any], wanted: Mapping[str, Shape]) -> Shape | None:
    """Return the shape of the priors, which may be for the action codes of other cards. Raises BadWeights."""
    if PRIORS not in wanted:
        return None
    seats, rounds, codes = wanted[PRIORS]
    match listed[PRIORS]:
        case [int(one), int(other), int(others)] if (one, other) == (seats, rounds) and 0 < others <= MOST_CODES:
            return seats, rounds, others
    raise BadWeights(f"{PRIORS}: is {str(listed[PRIORS])[:80]!r}, and {[seats, rounds, codes]} is needed")


def arrays_of(body: bytes, sizes: Mapping[str, int]) -> dict[str, "array[float]"]:
    """Return the arrays by name. Raises BadWeights for a number that is not finite."""
    numbers = array("f", body)
    arrays, first = {}, 0
    for name, size in sizes.items():
        arrays[name] = numbers[first : first + size]
        first += size
        if not all(map(math.isfinite, arrays[name])):
            raise BadWeights(f"{name}: has a number that is not finite")
    return arrays


def factors_of(priors: "array[float]", shape: Shape) -> "memoryview[float]":
    """Return priors in their shape. Raises BadWeights for a factor that is not above 0."""
    if min(priors) <= 0:
        raise BadWeights(f"{PRIORS}: has a factor that is not above 0")
    return memoryview(priors).cast("B").cast("f", shape)
