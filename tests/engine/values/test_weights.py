"""Files of weights: written files are read back, and anything else is rejected with the reason."""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clerestory.engine import game
from clerestory.engine.errors import BadWeights
from clerestory.engine.values.weights import HEAD, opened, packed, parse_weights, read_weights, shapes, write_weights
from tests.shipped import CATHEDRAL

Arrays = dict[str, Any]


def some_arrays(seed: int = 1) -> Arrays:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes(CATHEDRAL).items()}


def with_priors(rounds: int = 6) -> Arrays:
    factors = np.random.default_rng(3).lognormal(size=shapes(CATHEDRAL, rounds)["priors"]).astype(np.float32)
    return {**some_arrays(), "priors": factors}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "value.bin"
    write_weights(found, some_arrays(), {"games": 7}, game=CATHEDRAL)
    return found


def test_what_is_written_is_read_again(path: Path) -> None:
    weights = read_weights(path, CATHEDRAL)
    assert weights.catalogue == CATHEDRAL.catalogue
    assert weights.provenance == {"games": 7}
    for name, wanted in some_arrays().items():
        assert np.array_equal(np.frombuffer(weights.arrays[name], np.float32), wanted.ravel())
    write_weights(path, some_arrays(), {"games": 7}, game=CATHEDRAL)
    assert read_weights(path, CATHEDRAL).checksum == weights.checksum
    write_weights(path, some_arrays(2), {"games": 7}, game=CATHEDRAL)
    assert read_weights(path, CATHEDRAL).checksum != weights.checksum


@pytest.mark.parametrize("rounds", [1, 6])
def test_priors_are_read_again(rounds: int, path: Path) -> None:
    assert read_weights(path, CATHEDRAL).priors is None
    arrays = with_priors(rounds)
    write_weights(path, arrays, {}, game=CATHEDRAL)
    weights = read_weights(path, CATHEDRAL)
    assert np.array_equal(np.asarray(weights.priors), arrays["priors"])
    assert weights.arrays.keys() == shapes(CATHEDRAL).keys()


def remade(content: bytes, change: Callable[[dict[str, Any]], Any] = lambda header: header, body: bytes = b"") -> bytes:
    """Return the file with another header or other arrays, and a correct checksum."""
    header, old, _ = opened(content)
    change(header)
    return packed(header, body or old)


def headed(**fields: Any) -> Callable[[bytes], bytes]:
    return lambda content: remade(content, lambda header: header.update(fields))


def signed(content: bytes) -> bytes:
    return content + struct.pack("<I", zlib.crc32(content))


FAULTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "not a file of weights"),
    "another kind": (lambda content: b"PNG" + content, "not a file of weights"),
    "cut in the head": (lambda content: content[:10], "truncated"),
    "cut in the header": (lambda content: content[: HEAD.size + 20], "truncated"),
    "cut in the arrays": (lambda content: content[:-100], "damaged or truncated"),
    "a bit flipped": (lambda content: content[:-50] + bytes([content[-50] ^ 4]) + content[-49:], "damaged"),
    "a later version": (lambda content: signed(content[:8] + b"\3\0\0\0" + content[12:-4]), "version: is 3, and 2 is"),
    "no JSON": (lambda content: signed(content[: HEAD.size] + b"{" + content[HEAD.size : -4]), "header: is not JSON"),
    "no table": (lambda content: packed([], opened(content)[1]), "header: must have game"),  # type: ignore[arg-type]
    "another game": (headed(game="duel"), "game: is 'duel'"),
    "older rules": (headed(rules_revision=1), "rules_revision: is '1'"),
    "other features": (headed(features="ab"), "features: is 'ab', .*sees others.*clerestory learn"),
    "no cards": (headed(cards=[{}]), "cards: must be two tables"),
    "cards without amounts": (headed(cards=[{}, {"event.flood": [[3]]}]), "cards: must be two tables"),
    "cards that are words": (headed(cards=[{"event.flood": [[3, "much"]]}, {}]), "cards: must be two tables"),
    "cards of nothing": (headed(cards=[{"event.flood": [[3, None]]}, {}]), "cards: must be two tables"),
    "no catalogue": (lambda content: remade(content, lambda header: header.pop("catalogue")), "header: must have"),
    "a wrong shape": (lambda content: remade(content, lambda header: header["arrays"].update(bias=[31])), "arrays: is"),
    "an array short": (lambda content: remade(content, body=opened(content)[1][:-4]), "size: is"),
    "a strength": (lambda content: remade(content, body=opened(content)[1][:-4] + b"\0\0\xc0\x7f"), "strength: has"),
    "infinite weight": (lambda content: remade(content, body=b"\0\0\x80\xff" + opened(content)[1][4:]), "own: has"),
}  # fmt: skip


def listed(shape: object) -> Callable[[bytes], bytes]:
    return lambda content: remade(content, lambda header: header["arrays"].update(priors=shape))


def ending(factor: float) -> Callable[[bytes], bytes]:
    return lambda content: remade(content, body=opened(content)[1][:-4] + struct.pack("<f", factor))


FAULTS_OF_PRIORS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "other actions, and not so many factors": (listed([3, 6, 7]), "size: is"),
    "no actions": (listed([3, 6, 0]), "priors: is"),
    "no rounds": (listed([3, 0, CATHEDRAL.num_actions]), "priors: is"),
    "rounds less than 0": (listed([3, -1, CATHEDRAL.num_actions]), "priors: is"),
    "no shape": (listed("large"), "priors: is 'large'"),
    "more rounds than there are": (listed([3, 7, CATHEDRAL.num_actions]), "size: is"),
    "not a number": (ending(np.nan), "priors: has a number that is not finite"),
    "infinite": (ending(np.inf), "priors: has a number that is not finite"),
    "zero": (ending(0), "priors: has a factor that is not above 0"),
    "below zero": (ending(-1), "priors: has a factor that is not above 0"),
}


@pytest.mark.parametrize("fault", [*FAULTS, *FAULTS_OF_PRIORS])
def test_a_faulty_file_is_rejected(path: Path, fault: str) -> None:
    if fault in FAULTS_OF_PRIORS:
        write_weights(path, with_priors(), {}, game=CATHEDRAL)
    damage, says = {**FAULTS, **FAULTS_OF_PRIORS}[fault]
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(BadWeights, match=says) as refused:
        read_weights(path, CATHEDRAL)
    assert str(refused.value).startswith(str(path))


def test_priors_of_other_action_codes_are_left_out(path: Path) -> None:
    """With other cards and codes the net stays valid, but the factors are useless."""
    write_weights(path, with_priors(), {}, game=CATHEDRAL)
    content, fewer = path.read_bytes(), CATHEDRAL.num_actions - 13
    header, body, _ = opened(content)
    header["arrays"]["priors"][2] = fewer
    read = parse_weights(packed(header, body[: -4 * 3 * 6 * 13]), CATHEDRAL)
    assert read.priors is None
    assert read.arrays == parse_weights(content, CATHEDRAL).arrays


def test_another_catalogue_is_reported_not_rejected(path: Path) -> None:
    """The caller decides how to handle other cards."""
    content = remade(path.read_bytes(), lambda header: header.update(catalogue="other"))
    assert parse_weights(content, CATHEDRAL).catalogue == "other"


WRONG: dict[str, tuple[Callable[[Arrays], Any], str]] = {
    "one missing": (lambda arrays: arrays.pop("bias"), "arrays: own|arrays: others"),
    "one too many": (lambda arrays: arrays.update(policy=np.zeros(3)), "arrays: bias"),
    "transposed": (lambda arrays: arrays.update(second=arrays["second"].T), r"second: shape \(16, 32\)"),
    "not finite": (lambda arrays: arrays["bias"].fill(np.nan), "bias: has a number that is not finite"),
    "priors without rounds": (lambda arrays: arrays.update(priors=np.ones((3, 9))), r"priors: shape \(3, 9\)"),
    "priors of other actions": (lambda arrays: arrays.update(priors=np.ones((3, 6, 9))), r"priors: shape \(3, 6, 9\)"),
    "priors of 0": (lambda arrays: arrays.update(priors=0 * with_priors()["priors"]), "priors: has a factor that is"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_arrays_are_not_written(path: Path, wrong: str) -> None:
    change, says = WRONG[wrong]
    arrays, before = some_arrays(), path.read_bytes()
    change(arrays)
    with pytest.raises(BadWeights, match=says):
        write_weights(path, arrays, {}, game=CATHEDRAL)
    assert path.read_bytes() == before


def test_neither_a_missing_file_nor_a_game_without_features_has_weights(tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match="cannot be read"):
        read_weights(tmp_path / "none.bin", CATHEDRAL)
    with pytest.raises(BadWeights, match="toy has no features"):
        shapes(game("toy"))
