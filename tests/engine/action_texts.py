"""Tests of the code space of a game, made of its examples."""

from collections.abc import Callable, Sequence

import pytest

from clerestory.engine import BadText, Game


def texts_and_labels(game: Game, examples: Sequence[tuple[str, str]]) -> Callable[..., None]:
    """A test: each text is an action with that label."""

    @pytest.mark.parametrize(("text", "label"), examples)
    def test(text: str, label: str) -> None:
        action = game.parse_action(text)
        assert (action.text, action.label) == (text, label)

    return test


def texts_of_no_action(game: Game, texts: Sequence[str]) -> Callable[..., None]:
    """A test: each text is refused."""

    @pytest.mark.parametrize("text", texts)
    def test(text: str) -> None:
        with pytest.raises(BadText):
            game.parse_action(text)

    return test
