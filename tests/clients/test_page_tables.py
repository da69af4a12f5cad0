"""The page's built-in tables of games: steps, effects, players and colours agree with the engine."""

import re
from pathlib import Path
from typing import Any

import pytest

from clerestory import metadata
from clerestory.engine import GAMES
from clerestory.engine.cathedral.data.catalogue import CathedralCatalogue
from clerestory.engine.core import Game
from clerestory.engine.duel.data.catalogue import DuelCatalogue
from clerestory.engine.games import with_catalogue
from clerestory.engine.shared.colours import COLOURS, DRAWN
from clerestory.i18n.files import read

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "clients" / "web" / "src"
NAMED = with_catalogue()  # the games that the page has boards for
CATALOGUES = {"cathedral": CathedralCatalogue, "duel": DuelCatalogue}


def source(name: str) -> str:
    return (SOURCES / name).read_text(encoding="utf-8")


def keys(name: str, constant: str) -> list[str]:
    """Return the keys of an object in a source file, one per line."""
    found = re.search(rf"^(?:export )?const {constant}\b.*? = \{{\n(.*?)^\}};$", source(name), re.MULTILINE | re.DOTALL)
    assert found, f"{name} has no {constant}"
    return re.findall(r'^  "?([\w-]+)"?: ', found[1], re.MULTILINE)


def told(start: str) -> list[str]:
    """Return the rest of the keys of the page's texts that begin with `start`."""
    return [key.removeprefix(start) for key in read("en/page.json") if key.startswith(start)]


def words(name: str, constant: str) -> list[str]:
    """Return a list of words in a source file."""
    found = re.search(rf"\b{constant}(?::| =) \[(.*?)\]", source(name), re.DOTALL)
    assert found, f"{name} has no {constant}"
    return re.findall(r'"([^"]*)"', found[1])


def steps(game: Game) -> tuple[str, ...]:
    (names,) = (field.kind.names for field in game.layout.fields if field.name == "step")  # type: ignore[attr-defined]
    return names


def effects(schema: Any) -> set[str]:
    """Return the kinds of effects in the schema of a catalogue."""
    kinds = [part["properties"]["kind"] for part in schema["$defs"].values() if "kind" in part.get("properties", {})]
    return {kind for one in kinds for kind in one.get("enum", [one.get("const")])}


def verbs(game: Game) -> set[str]:
    return {text.split()[0] for text in game.texts}


@pytest.mark.parametrize("name", NAMED)
def test_every_step_has_words_and_every_kind_of_action_a_place_or_none(name: str) -> None:
    told_once = [step for step in told(f"step.{name}.") if "." not in step]  # not variants for the last round
    assert told_once == list(steps(GAMES[name]))
    places, none = keys(f"boards/{name}/places.ts", "PLACES"), words(f"boards/{name}/places.ts", "PLACELESS")
    assert {*places, *none} == verbs(GAMES[name])
    assert not {*places} & {*none}


def test_every_effect_has_words() -> None:
    kinds = set().union(*(effects(CATALOGUES[name].model_json_schema()) for name in NAMED))
    assert set(told("effect.")) == kinds | {"any"}  # for an effect that names no goods


def test_the_part_of_the_board_is_known_of_every_step() -> None:
    assert [*keys("boards/cathedral/places.ts", "DUE"), "over"] == list(steps(GAMES["cathedral"]))


def test_every_card_has_a_picture() -> None:
    drawn = {*keys("art/pictures.tsx", "PEOPLE"), *keys("art/pictures.tsx", "SAME"), *keys("art/scenes.ts", "SCENES")}
    sites = {*keys("art/scenes.ts", "SITES")}
    cathedral, duel = CathedralCatalogue.load(), DuelCatalogue.load()
    assert {re.sub(r"_\d$", "", card) for card in cathedral.all_craftsmen} <= drawn
    assert {*cathedral.advantage_cards, *cathedral.event_cards, *duel.cards} <= drawn
    assert {card.type for card in cathedral.resource_cards.values()} == sites


def test_every_game_has_a_name_and_its_numbers_of_players() -> None:
    names = re.search(r"GAMES: .*? = \{ (.*) \};", source("language/text.ts"))
    players = re.search(r"PLAYERS.*? = \{ (.*) \};", source("game/beginning.ts"))
    assert names
    assert players
    named = dict(re.findall(r'(\w+): "game\.(\w+)"', names[1]))
    assert named == {name: name for name in GAMES}
    assert {*named} <= {*told("game.")}
    counts = {name: [*map(int, listed.split(","))] for name, listed in re.findall(r"(\w+): \[([\d, ]+)\]", players[1])}
    assert counts == {name: list(GAMES[name].seats) for name in NAMED}


def test_colours_are_those_of_positions() -> None:
    assert words("boards/places.ts", "COLOURS") == list(COLOURS)
    assert told("colour.")[: len(COLOURS)] == list(COLOURS)
    assert words("boards/seats.ts", "LETTERS") == [colour[0].upper() for colour in COLOURS]
    drawn = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", source("styles/style.css")))
    assert {colour: drawn.get(colour) for colour in COLOURS} == DRAWN


@pytest.mark.parametrize("name", NAMED)
def test_the_messages_name_the_colours(name: str) -> None:
    names = (ROOT / "proto" / "clerestory" / "v1" / f"{name}.proto").read_text(encoding="utf-8")
    assert [word for word in re.findall(r"`(\w+)`", names) if word in COLOURS][: len(GAMES[name].seats) + 1] == [
        GAMES[name].seat_name(seat) for seat in range(GAMES[name].seats[-1])
    ]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("clients/web/src/service/api.ts", [metadata.SEAT]),
        ("deploy/envoy.yaml", [metadata.ON_BEHALF]),
        ("docs/protocol.md", [metadata.ON_BEHALF, metadata.SEAT]),
        ("docs/operations.md", [metadata.ON_BEHALF, metadata.SEAT]),
    ],
)
def test_metadata_has_our_names(path: str, names: list[str]) -> None:
    page = (ROOT / path).read_text(encoding="utf-8")
    assert sorted(set(re.findall(r"x-clerestory-\w+|x-on-behalf\w*-of", page))) == sorted(names)
