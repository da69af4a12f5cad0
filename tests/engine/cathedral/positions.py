"""Positions for tests: consistent to the last cube and card, so that the core accepts them.

The draft, the first draw of a builder, the event with all builders on the board, the market and the cathedral are built
directly. Everything between is reached from there by playing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tests.engine.cathedral import oracle_cards as box
from tests.engine.models import CoreGame, Fields
from tests.shipped import CATHEDRAL

FIVE_CRAFTSMEN = ["mortar_mixer", "woodworker", "stonecutter", "toolmaker_1", "mason_1"]

ORDINARY = [card for card in box.ADVANTAGES if card not in box.LAST_ROUND]
CAPACITY = {"market": 4, "castle": 1, "start": 1, "court": 4, "priory": 2}
FILL = [location for location, places in CAPACITY.items() for _ in range(places)]


class Core(CoreGame):
    rules = CATHEDRAL


def opening(seats: int) -> Fields:
    fields: Fields = CATHEDRAL.new(seats, 0).to_position()["cathedral"]
    return fields


def player(position: Fields, colour: str) -> Fields:
    fields: Fields = position["players"][box.COLOURS.index(colour)]
    return fields


QUIET = ("pass", "accept", "wait", "decline", "save", "leave", "finish")


def play_all(game: Core, *texts: str) -> Core:
    for text in texts:
        if text.startswith("until "):
            until(game, *text.split()[1:])
        else:
            game.play(text)
    return game


def until(game: Core, *steps: str) -> Core:
    """Play on to the first of the steps: pass, save or leave if possible, else take the first action."""
    while game.position()["step"] not in steps:
        texts = sorted(game.legal())
        game.play(next((text for text in texts if text.split()[0] in QUIET), texts[0]))
    return game


def each(verb: str, things: Iterable[object]) -> set[str]:
    return {f"{verb} {thing}" for thing in things}


Story = list[Any]  # a position; then, in any order, actions separated by semicolons, and expected values


def tell(story: Story) -> Iterator[tuple[Fields, Fields]]:
    """Play a story; yield actual and expected values."""
    fields, *parts = story
    game = Core.from_position(fields)
    for part in parts:
        if isinstance(part, str):
            play_all(game, *part.split("; "))
        else:
            yield {thing: look(game, thing) for thing in part}, part


def look(game: Core, thing: str) -> Any:
    """Return a value: `step`, `stock.wood`, `red.gold`, `gold` of each, `odds`, `offered`, `offered hire`, `verbs`."""
    name, _, verb = thing.partition(" ")
    if name == "offered":
        return game.offered(verb)
    if thing == "verbs":
        return {text.split()[0] for text in game.legal()}
    if thing in ("odds", "returns", "margins"):
        return getattr(game, thing)()
    position = game.position()
    owner, _, name = thing.rpartition(".")
    if owner:
        return (player(position, owner) if owner in box.COLOURS else position[owner])[name]
    return position[name] if name in position else [own[name] for own in position["players"]]


# Stages -----------------------------------------------------------------------------------------------------------


def draft(seats: int, round_: int = 1, kingsbridge: Iterable[str] = (), **changes: Fields) -> Fields:
    """Return the start of the draft: red begins, all resource cards but the largest sand and stone are available.

    `kingsbridge` names the two cards shown there. `changes` gives, by colour, the differences from the opening: `gold`,
    `vp`, cubes (taken from the supply), `craftsmen` and `advantages` (turned up before), `grey`, `limited`.
    """
    fields = opening(seats)
    fields.update(round=round_, step="draft", to_act="red")
    _turn_up_advantages(fields, [card for own in changes.values() for card in own.get("advantages", ())], kingsbridge)
    _turn_up_craftsmen(fields, [card for own in changes.values() for card in own.get("craftsmen", ())])
    limited = any(own.get("limited") for own in changes.values())
    _turn_up_events(fields, past=["town_wall"] if limited else [], coming="")
    fields["supply_resources"] = [card for card in box.RESOURCE_CARDS if card not in ("sand_4", "stone_4")]
    for colour, own in changes.items():
        _change(fields, player(fields, colour), own)
    return fields


def bag(seats: int, round_: int = 1, **changes: Fields) -> Fields:
    """Return the first draw of a builder: no card was taken, every worker is at the mill."""
    fields = draft(seats, round_, **changes)
    fields.update(step="draw", to_act="nature", supply_resources=[], supply_craftsmen=[])
    for own in fields["players"]:
        own["mill"], own["workers"] = own["workers"], 0
    return fields


def board(
    seats: int, event: str, spaces: str = "", round_: int = 1, kingsbridge: Iterable[str] = (), **changes: Fields
) -> Fields:
    """Return a position with all builders on the board and `event` on top of the deck.

    `spaces` is like "red priory, blue kingsbridge.1"; the other builders fill the market, castle, start, court and
    Priory in this order. `resource_cards` in `changes` have their workers on them; the other workers are at the mill.
    """
    fields = draft(seats, round_, kingsbridge, **changes)
    _turn_up_events(fields, past=[], coming=event)
    fields.update(step="event", to_act="nature", supply_resources=[], supply_craftsmen=[], cost=0)
    for own in fields["players"]:
        own["bag"] = 0
        busy = sum(box.RESOURCE_CARDS[card].workers for card in own["resource_cards"])
        own["mill"], own["workers"] = own["workers"] - busy, 0
    _stand(fields, spaces)
    placed = [place.split()[0] for place in spaces.split(", ") if place]
    rest = [colour for colour in box.COLOURS[:seats] for _ in range(3 - placed.count(colour))]
    free = list(FILL)
    for place in spaces.split(", "):
        location = place.partition(" ")[2]
        if location in free:
            free.remove(location)
    _stand(fields, ", ".join(f"{colour} {space}" for colour, space in zip(rest, free, strict=False)))
    return fields


def late(
    seats: int, step: str, spaces: str = "", round_: int = 1, event: str = "kings_favour", **changes: Fields
) -> Fields:
    """Return step `market` or `cathedral` under an event: only the named builders are placed, workers are at home."""
    fields = board(seats, event, "", round_, **changes)
    for location in ("castle", "start"):
        fields[location] = ""
    for location in ("market", "court", "priory"):
        fields[location] = [""] * len(fields[location])
    fields.update(kingsbridge_cards=["", ""], shiring_cards=["", ""], event=event, step=step, to_act="red")
    fields["event_deck"].remove(event)
    fields["unseen_events"].remove(event)
    for own in fields["players"]:
        own["workers"], own["mill"] = own["mill"], 0
    _stand(fields, spaces)
    if step == "market":
        fields.update(stall=1, to_act=fields["market"][0])
    return fields


# Parts ------------------------------------------------------------------------------------------------------------


def _turn_up_advantages(fields: Fields, held: list[str], kingsbridge: Iterable[str]) -> None:
    before = 2 * (fields["round"] - 1)
    if len(held) > before:
        raise ValueError(f"{len(held)} advantage cards cannot be held in round {fields['round']}")
    named = list(kingsbridge)
    spare = [card for card in reversed(ORDINARY) if card not in held and card not in named]
    past = [*held, *spare][:before]
    coming = box.LAST_ROUND if fields["round"] == 6 else [card for card in spare if card not in past]
    shown = [*named, *(card for card in coming if card not in named)][:2]
    unseen = [card for card in box.ADVANTAGES if card not in past and card not in shown]
    last = [card for card in box.LAST_ROUND if card in unseen]
    fields["kingsbridge_cards"] = shown
    fields["unseen_advantages"] = unseen
    fields["advantage_deck"] = unseen[: 10 - before - 2] + last if last else []


def _turn_up_events(fields: Fields, past: list[str], coming: str) -> None:
    others = [card for card in reversed(box.EVENTS) if card != coming and card not in past]
    seen = [*past, *others][: fields["round"] - 1]
    unseen = [card for card in box.EVENTS if card not in seen]
    order = sorted(unseen, key=lambda card: card != coming)  # the coming one on top
    fields["unseen_events"] = unseen
    fields["event_deck"] = order[: 7 - fields["round"]]


def _turn_up_craftsmen(fields: Fields, held: list[str]) -> None:
    """Place the round's craftsmen that are not held: at Shiring first, then in the supply."""
    free = [card for card in box.craftsmen_of(fields["round"]) if card not in held]
    fields["shiring_cards"] = [*free[:2], "", ""][:2]
    fields["supply_craftsmen"] = free[2:]
    fields["craftsman_deck"] = [card for card, facts in box.CRAFTSMEN.items() if facts.round > fields["round"]]


def _change(fields: Fields, own: Fields, changes: Fields) -> None:
    """Change a player, keeping the supply and the VP account consistent."""
    for kind in box.CUBES:
        fields["supply"][kind] -= changes.get(kind, 0)
    own["workers"] += changes.get("grey", 0) + ("otto" in changes.get("advantages", ()))
    own.update(changes)
    own["vp_craftsmen"] = max(0, own["vp"] - 2)
    own["vp_lost"] = max(0, 2 - own["vp"])
    own["craftsmen"] = sorted(own["craftsmen"], key=list(box.CRAFTSMEN).index)
    own["advantages"] = sorted(own["advantages"], key=box.ADVANTAGES.index)


def _stand(fields: Fields, spaces: str) -> None:
    """Put builders on spaces: "red market, blue shiring.2"; without a number, on the lowest free one (R16)."""
    for place in filter(None, spaces.split(", ")):
        colour, space = place.split()
        name, _, number = space.partition(".")
        if isinstance(fields[name], str):
            fields[name] = colour
        else:
            fields[name][int(number) - 1 if number else fields[name].index("")] = colour
