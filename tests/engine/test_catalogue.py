"""The shell of card catalogues: files that cannot be read, in both games that have cards."""

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


@pytest.mark.parametrize("shape", CATALOGUES)
def test_a_file_that_cannot_be_read(shape: type[Catalogue], tmp_path: Path) -> None:
    with pytest.raises(BadCatalogue, match=r"^catalogue: cannot be read: .*nothing\.toml"):
        shape.load(tmp_path / "nothing.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(BadCatalogue, match=r"^catalogue: cannot be read"):
        shape.load(tmp_path / "bytes.toml")


@pytest.mark.parametrize("shape", CATALOGUES)
def test_a_file_is_read_as_its_text_is(shape: type[Catalogue], tmp_path: Path) -> None:
    text = shape.shipped.read_text()
    (tmp_path / "cards.toml").write_text(text)
    assert shape.load(tmp_path / "cards.toml") == shape.parse(text) == shape.load()


def test_cards_by_id() -> None:
    assert by_id([{"id": "a", "cost": 1}, {"id": "b"}]) == {"a": {"cost": 1}, "b": {}}
    with pytest.raises(ValueError, match="'a' occurs more than once"):
        by_id([{"id": "a"}, {"id": "a"}])
