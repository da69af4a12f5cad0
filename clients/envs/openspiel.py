"""The games as OpenSpiel games: importing this module registers `clerestory_cathedral` and `clerestory_duel`.

Actions are our codes, chance has our odds, utilities are win shares. A position never holds a hidden deck: a card is
drawn when it is turned up. The event that Ellen's owner is shown (R40) is drawn when it is shown, by a chance event
whose outcome only that player sees. So a state follows from its history.

OpenSpiel serializes states of Python games as pickles: read none that you do not trust. Its search for them is
`open_spiel.python.algorithms.ismcts`; the one in C++, `pyspiel.ISMCTSBot`, cannot resample them, and crashes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from clerestory.engine import NATURE, State
from clerestory.engine.core import Game
from clerestory.engine.games import game as game_named
from clerestory.envs.observing import Observer

PREFIX = "clerestory_"
SHOWN = "event "  # how the texts of the outcomes begin that a seat may be shown
HIDDEN = "?"  # in an information state, an outcome that another player was shown


class Position:
    """A position with what led to it. OpenSpiel copies a state by making deep copies of its attributes.

    Attributes:
        state: the position; of the decks it holds at most the event that `owner` was shown.
        codes: the codes of all actions and outcomes.
        looks: which of these only one seat saw: the seat by their places.
        owner: the seat that the next chance event shows a card, else None.
    """

    def __init__(self, state: State, codes: tuple[int, ...] = (), looks: dict[int, int] | None = None) -> None:
        self.state, self.codes, self.looks = state, codes, looks or {}
        self.owner = next((seat for seat in range(state.seats) if state.private_outcomes(seat)), None)

    def __deepcopy__(self, _: Any) -> "Position":
        return Position(self.state.copy(), self.codes, self.looks)

    def after(self, code: int) -> "Position":
        """Return the position after an action or outcome. Raises IllegalAction or BadText."""
        state, codes = self.state.copy(), (*self.codes, code)
        if self.owner is None:
            state.play(code)
            return Position(state, codes, self.looks)
        state.set_private_outcome(self.owner, code)
        return Position(state, codes, self.looks | {len(self.codes): self.owner})

    def outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the chance event that is due, with their odds."""
        if self.owner is not None:
            codes = [action.code for action in self.state.private_outcomes(self.owner)]
            return [(code, 1 / len(codes)) for code in codes]
        if (shown := self.shown()) is not None and self.state.foresees(self.looks[shown]):
            return [(self.codes[shown], 1.0)]
        return list(zip(self.state.legal_codes(), self.state.odds(), strict=True))

    def shown(self) -> int | None:
        """Return the place in `codes` of an outcome that one seat knows and is still to come, None if there is none."""
        if not self.looks:
            return None
        place = max(self.looks)
        known = self.state.observe(self.looks[place]) != self.state.observe(NATURE)
        return place if known else None

    def recalled(self, seat: int) -> str:
        """Return all actions and outcomes that a seat has seen, by their codes."""
        return " ".join(
            HIDDEN if self.looks.get(place, seat) != seat else str(code) for place, code in enumerate(self.codes)
        )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of this package as an OpenSpiel game.

    Args:
        name: its name in clerestory.engine.GAMES.
        parameters: those of `pyspiel.load_game`: `players`.
        origin: the position in which it starts, by default the opening. Hidden cards are forgotten.
    """

    def __init__(self, name: str, parameters: dict[str, Any] | None = None, *, origin: State | None = None) -> None:
        rules = game_named(name)
        start = rules.new((parameters or {}).get("players", rules.seats[0]), 0) if origin is None else origin
        super().__init__(type_of(rules), size_of(rules, start.seats), {"players": start.seats})
        self.origin = start.observe(NATURE)

    def new_initial_state(self, _: Any = None) -> "SpielState":
        """Return the position in which the game starts."""
        return SpielState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "SpielObserver":
        """Return an observer, by default without the history of the game. Raises ValueError for unknown parameters."""
        if params:
            raise ValueError(f"params: {params!r}; there are no parameters of observations")
        return SpielObserver(self.origin, kind or pyspiel.IIGObservationType(perfect_recall=False))


def type_of(rules: Game) -> Any:
    """Return the description of a game."""
    return pyspiel.GameType(
        short_name=f"{PREFIX}{rules.name}",
        long_name=f"Clerestory {rules.name}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,  # also duel, since ISMCTS requires it
        utility=pyspiel.GameType.Utility.CONSTANT_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=rules.seats[-1],
        min_num_players=rules.seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={"players": rules.seats[0]},
    )


def size_of(rules: Game, players: int) -> Any:
    """Return the limits of a game."""
    return pyspiel.GameInfo(
        num_distinct_actions=rules.num_actions,
        max_chance_outcomes=rules.num_actions,
        num_players=players,
        min_utility=0.0,
        max_utility=1.0,
        utility_sum=1.0,
        max_game_length=rules.max_plies,
    )


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position of a SpielGame; `position` holds ours."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.position = Position(game.origin.copy())

    def current_player(self) -> Any:
        """Return the seat to decide, or the number of chance or of the end."""
        state = self.position.state
        if state.over:
            return pyspiel.PlayerId.TERMINAL
        return pyspiel.PlayerId.CHANCE if self.position.owner is not None or state.turn == NATURE else state.turn

    def _legal_actions(self, player: int) -> list[int]:
        """Return the actions of a seat, ascending."""
        return self.position.state.legal_codes() if player == self.current_player() else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the chance event that is due, with their odds."""
        return self.position.outcomes()

    def _apply_action(self, action: int) -> None:
        """Play an action or outcome. Raises IllegalAction or BadText."""
        self.position = self.position.after(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        """Return the text of an action."""
        shown = "shown: " if player == pyspiel.PlayerId.CHANCE and self.position.owner is not None else ""
        return shown + self.position.state.game.texts[action]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.state.over

    def returns(self) -> list[float]:
        """Return the win shares at the end, and otherwise zeros."""
        state = self.position.state
        return list(state.win_shares()) if state.over else [0.0] * state.seats

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "SpielState":
        """Return a state that the player cannot distinguish from this one: cards shown only to others are replaced.

        Args:
            player: a seat.
            sampler: returns uniform numbers in [0, 1).
        """
        place = self.position.shown()
        if place is None or self.position.looks[place] == player:
            return self.clone()  # type: ignore[no-any-return]
        state: SpielState = self.get_game().new_initial_state()
        for number, code in enumerate(self.position.codes):
            outcomes = state.chance_outcomes() if number == place else [(code, 1.0)]
            state.apply_action(outcomes[int(sampler() * len(outcomes))][0])
        return state

    def __str__(self) -> str:
        return str(self.position.state)


class SpielObserver:
    """Writes observations, in the interface of OpenSpiel's Python games.

    Args:
        origin: a position of the game.
        kind: whether it includes public and private information, and the history. The tensor of an observation holds
            the features of Observer, and `shown`, the card that only this seat was shown; that of an information state
            holds the bits of the position as the seat knows it. Only the string of an information state has the
            history: nothing else in it bears on later play.
    """

    def __init__(self, origin: State, kind: Any) -> None:
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("private_info: ALL_PLAYERS; observations are of one player, or of what is public")
        self.public, self.recall = kind.public_info, kind.perfect_recall
        self.private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        game = origin.game
        self.features = Observer(game, origin.seats, "features")
        shapes = {"player": origin.seats} if self.private else {}
        if self.public:
            shapes |= {"position": 8 * game.state_bytes} if self.recall else {"features": self.features.size}
        self.cards = [code for code, text in enumerate(game.texts) if text.startswith(SHOWN)]
        if self.private and self.cards and not self.recall:
            shapes["shown"] = len(self.cards)
        self.tensor = np.zeros(sum(shapes.values()), np.float32)
        ends = np.cumsum([*shapes.values()])
        self.dict: dict[str, NDArray[np.float32]] = dict(zip(shapes, np.split(self.tensor, ends[:-1]), strict=False))

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what a player observes into `tensor` and `dict`."""
        position = state.position
        self.tensor.fill(0)
        if "player" in self.dict:
            self.dict["player"][player] = 1
        if "position" in self.dict:
            memory = np.frombuffer(self.seen(position, player).to_bytes(), np.uint8)
            self.dict["position"][:] = np.unpackbits(memory)
        if "features" in self.dict:
            self.dict["features"][:] = self.features.observe(position.state, player)
        if "shown" in self.dict and (code := self.shown_to(position, player)) is not None:
            self.dict["shown"][self.cards.index(code)] = 1

    def string_from(self, state: SpielState, player: int) -> str:
        """Return what a player observes as a text."""
        position, parts = state.position, []
        if self.private:
            code = self.shown_to(position, player)
            parts = [f"player {player}", *([] if code is None else [f"shown: {position.state.game.texts[code]}"])]
        if self.public:
            parts.append(self.seen(position, player).to_json())
        if self.recall:
            parts.append(f"history: {position.recalled(player)}")
        return "\n".join(parts)

    def seen(self, position: Position, player: int) -> State:
        """Return the position as the player knows it, or as an onlooker does."""
        return position.state.observe(player if self.private else NATURE)

    def shown_to(self, position: Position, player: int) -> int | None:
        """Return the coming outcome that only this player knows, None if there is none."""
        place = position.shown()
        return None if place is None or position.looks[place] != player else position.codes[place]


class SpielCathedral(SpielGame):
    """The board game, as OpenSpiel makes it from its name."""

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        super().__init__("cathedral", parameters)


class SpielDuel(SpielGame):
    """The card game, likewise."""

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        super().__init__("duel", parameters)


# Classes, because OpenSpiel frees what it is given after Python has ended, which aborts the process for a function.
pyspiel.register_game(type_of(game_named("cathedral")), SpielCathedral)
pyspiel.register_game(type_of(game_named("duel")), SpielDuel)
