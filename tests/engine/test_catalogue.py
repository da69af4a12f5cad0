"""The base of card catalogues: unreadable files, and the cards in use by a process, in both games with cards."""

from pathlib import Path
from typing import Literal

import pytest

from clerestory.engine import BadCatalogue, CatalogueInUse, Game, game
from clerestory.engine.catalogue import Catalogue, amount_of
from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from clerestory.engine.duel.data.catalogue import DuelCatalogue
from clerestory.engine.positions.fields import Fields
from tests.shipped import CATHEDRAL, DUEL

CATALOGUES = (CathedralCatalogue, DuelCatalogue)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("version = ", ""),
        ("version = 2\nversion = 2", ""),
        ("[[craftsmen", ""),
        (f"a = {'[' * 50_000}", "it is nested too deeply$"),
        (f"a = {'9' * 5_000}", "a number has too many digits$"),
    ],
    ids=["no value", "twice", "no end", "deep", "long"],
)
@pytest.mark.parametrize("shape", CATALOGUES)
def test_text_that_is_not_toml_is_rejected(shape: type[Catalogue], text: str, why: str) -> None:
    with pytest.raises(BadCatalogue, match=f"^catalogue: is not TOML: {why}"):
        shape.parse(text)


@pytest.mark.parametrize("shape", CATALOGUES)
def test_a_file_that_cannot_be_read_is_rejected(shape: type[Catalogue], tmp_path: Path) -> None:
    with pytest.raises(BadCatalogue, match=r"^catalogue: .*nothing\.toml cannot be read: No such file"):
        shape.load(tmp_path / "nothing.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(BadCatalogue, match=r"^catalogue: .*bytes\.toml cannot be read"):
        shape.load(tmp_path / "bytes.toml")


@pytest.mark.parametrize(("rules", "shape"), [(CATHEDRAL, CathedralCatalogue), (DUEL, DuelCatalogue)])
def test_a_process_has_one_catalogue(rules: Game, shape: type[Catalogue], tmp_path: Path) -> None:
    """Games with other cards are played in tests/engine/test_other_catalogues.py."""
    other = tmp_path / "other.toml"
    other.write_text(shape.shipped.read_text().replace("gold = 4", "gold = 3"))
    message = f"{rules.name}: this process has the cards of catalogue {rules.catalogue}"
    with pytest.raises(CatalogueInUse, match=message):
        game(rules.name, catalogue=other)
    with pytest.raises(BadCatalogue):
        game(rules.name, catalogue=tmp_path / "none.toml")
    assert game(rules.name, catalogue=shape.shipped) is game(rules.name) is rules
    assert rules.catalogue == shape.load().content_hash()


class Levy(Fields):
    kind: Literal["levy"]
    silver: int


def test_an_amount_that_no_rule_reads_is_rejected() -> None:
    effect = Levy(kind="levy", silver=3)
    assert amount_of("flood", effect, ["gold", "silver"], []) == 3
    assert amount_of("flood", effect, ["gold"], ["silver"]) == 0
    with pytest.raises(BadCatalogue, match=r"^catalogue\.flood\.effect\.silver: is not an amount of this effect"):
        amount_of("flood", effect, ["gold"], [])
