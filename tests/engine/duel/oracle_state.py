"""The oracle's position, and operations shared by all rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.engine.duel import oracle_cards as box


def _whole_supply() -> Counter[str]:
    return Counter(box.CHIPS) - Counter(box.START_CAMP)


@dataclass
class Player:
    """The pieces of one player."""

    colour: str
    gold: int = box.START_GOLD
    supply: Counter[str] = field(default_factory=_whole_supply)  # raw chips
    raw: Counter[str] = field(default_factory=lambda: Counter(box.START_CAMP))  # in the camp
    made: Counter[str] = field(default_factory=Counter)  # materials in the camp
    placed: dict[str, list[str]] = field(default_factory=lambda: {section: [] for section in box.SECTIONS})
    seals: Counter[str] = field(default_factory=lambda: Counter(box.NEUTRAL_SEALS))  # neutral, not flipped
    flipped: list[str] = field(default_factory=list)  # in this conflict, in order of flipping
    total: int = 0  # of the faces flipped in this conflict
    once: list[str] = field(default_factory=list)  # 1x cards in front of the player
    markers: list[int] = field(default_factory=list)  # places in the grid, 0 to 8
    used: list[int] = field(default_factory=list)  # places under markers whose card was used

    def missing(self, section: str) -> list[str]:
        return [made for made in box.NEEDS[self.colour][section] if made not in self.placed[section]]

    def complete(self, section: str) -> bool:
        return not self.missing(section)

    def sections(self) -> int:
        return sum(self.complete(section) for section in box.SECTIONS)

    def materials(self) -> int:
        return sum(len(materials) for materials in self.placed.values())

    def gather(self, raw: str, count: int) -> None:
        """Move raw chips from the player's supply to the camp, as many as there are."""
        moved = min(count, self.supply[raw])
        self.supply[raw] -= moved
        self.raw[raw] += moved

    def turn_over(self, raw: str) -> None:
        """Turn one raw chip of the camp into material."""
        self.raw[raw] -= 1
        self.made[box.MADE_FROM[raw]] += 1


@dataclass
class Use:
    """A card in use, while a choice or draw for it is pending."""

    card: str
    left: int = 0  # chips to take, turn or buy, if the card limits their number
    floor: str = ""  # the first kind that may be named, if the order of kinds is fixed
    began: bool = False  # whether at least one act was done (D16)


@dataclass
class Position:
    """The whole position."""

    players: dict[str, Player] = field(default_factory=lambda: {colour: Player(colour) for colour in box.COLOURS})
    phase: int = 1
    round: int = 1
    power: str = "red"
    first: str = "red"  # first player of this round (D1)
    step: str = "deal"
    to_act: str = "nature"
    active: str = ""  # the player to move
    bank: int = box.GOLD_IN_BOX - len(box.COLOURS) * box.START_GOLD
    unseen_cards: Counter[str] = field(default_factory=lambda: Counter(box.DECKS["A"]))
    deck: list[str] = field(default_factory=list)  # order of all cards to come, or [] if unknown
    grid: list[str] = field(default_factory=list)  # 9 places once dealt; "" where a 1x card was taken
    unseen_seals: Counter[str] = field(default_factory=lambda: Counter(box.START_STACK))
    seal_order: list[str] = field(default_factory=list)  # of the unseen seals, or [] if unknown
    seen_seals: list[str] = field(default_factory=list)  # below them, the next to be taken first
    flipping: str = ""  # the seal whose face is due
    use: Use | None = None
    open: list[Use] = field(default_factory=list)  # uses that can be continued, innermost first (D48)
    draws: int = 0  # seals still to be drawn
    bonus: Use | None = None  # bonus III, which is carried out before a use continues
    built: bool = False
    toledo: bool = False

    def player(self, colour: str) -> Player:
        return self.players[colour]

    def me(self) -> Player:
        return self.players[self.active]

    def opponent(self) -> Player:
        return self.players[box.other(self.active)]

    def ask(self, step: str, who: str) -> None:
        self.step = step
        self.to_act = who

    def pay(self, player: Player, gold: int) -> None:
        player.gold -= gold
        self.bank += gold

    def earn(self, player: Player, gold: int) -> None:
        """Pay gold from the bank, or as much as there is (D15)."""
        earned = min(gold, self.bank)
        player.gold += earned
        self.bank -= earned

    def winner(self) -> str:
        """Return the player who has completed the third section, or ""."""
        return next((player.colour for player in self.players.values() if player.sections() == len(box.SECTIONS)), "")

    def stack(self) -> int:
        """Return the number of seals in the stack."""
        return self.unseen_seals.total() + len(self.seen_seals)

    def deck_name(self) -> str:
        return box.DECK_OF_PHASE[self.phase]
