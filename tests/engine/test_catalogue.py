"""The shell of card catalogues: files that cannot be read, in both games that have cards."""

import subprocess
import sys
from pathlib import Path

import pytest

from clerestory.engine import BadCatalogue
from clerestory.engine.catalogue import Catalogue, by_id
from clerestory.engine.cathedral.catalogue import CathedralCatalogue
from clerestory.engine.duel.catalogue import DuelCatalogue

CATALOGUES = (CathedralCatalogue, DuelCatalogue)


@pytest.mark.parametrize("text", ["version = ", "version = 2\nversion = 2", "[[craftsmen"])
@pytest.mark.parametrize("shape", CATALOGUES)
def test_what_is_not_toml(shape: type[Catalogue], text: str) -> None:
    with pytest.raises(BadCatalogue, match=r"^catalogue: is not TOML"):
        shape.parse(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [(f"a = {'[' * 50_000}", "it is nested too deeply"), (f"a = {'9' * 5_000}", "a number has too many digits")],
)
@pytest.mark.parametrize("shape", CATALOGUES)
def test_toml_that_is_more_than_can_be_read(shape: type[Catalogue], text: str, why: str) -> None:
    with pytest.raises(BadCatalogue, match=f"^catalogue: is not TOML: {why}$"):
        shape.parse(text)


@pytest.mark.parametrize("shape", CATALOGUES)
def test_a_file_that_cannot_be_read(shape: type[Catalogue], tmp_path: Path) -> None:
    with pytest.raises(BadCatalogue, match=r"^catalogue: .*nothing\.toml cannot be read: No such file"):
        shape.load(tmp_path / "nothing.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(BadCatalogue, match=r"^catalogue: .*bytes\.toml cannot be read"):
        shape.load(tmp_path / "bytes.toml")


@pytest.mark.parametrize("shape", CATALOGUES)
def test_a_file_is_read_as_its_text_is(shape: type[Catalogue], tmp_path: Path) -> None:
    text = shape.shipped.read_text()
    (tmp_path / "cards.toml").write_text(text)
    assert shape.load(tmp_path / "cards.toml") == shape.parse(text) == shape.load()


ODD_AMOUNT = """
from typing import Literal
from clerestory.engine import game
from clerestory.engine.fields import Fields
from clerestory.engine.games import LIST

class Odd(Fields):
    kind: Literal["{kind}"]
    silver: int

catalogue = LIST["{game}"].catalogue.load()
card = next(card for card in catalogue.{cards}.values() if card.effect.kind == "{kind}")
odd = card.model_copy(update={{"effect": Odd(kind="{kind}", silver=3)}})
cards = {{name: odd if one is card else one for name, one in catalogue.{cards}.items()}}
game("{game}", catalogue=catalogue.model_copy(update={{"{cards}": cards}}))
"""


@pytest.mark.parametrize(
    ("name", "cards", "kind"),
    [("cathedral", "event_cards", "levy"), ("cathedral", "event_cards", "gain"), ("duel", "cards", "income")],
)
def test_an_amount_that_no_rule_reads(name: str, cards: str, kind: str) -> None:
    """In a process of its own, as a process has one catalogue."""
    program = ODD_AMOUNT.format(game=name, cards=cards, kind=kind)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "BadCatalogue: catalogue." in ended.stderr
    assert ".effect.silver: is not an amount of this effect; remove it" in ended.stderr


def test_cards_by_id() -> None:
    assert by_id([{"id": "a", "cost": 1}, {"id": "b"}]) == {"a": {"cost": 1}, "b": {}}
    with pytest.raises(ValueError, match="'a' occurs more than once"):
        by_id([{"id": "a"}, {"id": "a"}])
