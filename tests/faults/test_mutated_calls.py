"""Mutated calls of every method, over gRPC and through the page: no internal error, no held loop, no told secret."""

import logging
from pathlib import Path

import pytest

from clerestory.door.methods import methods
from tests.faults.fuzz import Figures, fuzz, longest
from tests.faults.judge import errors
from tests.faults.pieces import pieces
from tests.faults.world import missing
from tests.server.harness import FORMATS, logged


def test_every_method_has_a_good_request() -> None:
    assert missing(methods()) == set()


def test_a_long_run_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    made: list[int] = []

    def piece(_: Path, seed: int) -> Figures:
        made.append(seed)
        name = "GameService/GetGame"
        figures = Figures(seed, stood={name: 0.03}, firsts={name: 0.02}, laters={name: 0.01})
        figures.count("GameService/GetGame ok")
        return figures

    pieces(tmp_path / "figures", 3, 2, piece)
    done = pieces(tmp_path / "figures", 3, 3, piece)
    assert made == [3, 4, 5]
    assert [one["ends"] for one in done] == 3 * [{"GameService/GetGame ok": 1}]
    assert longest(done).endswith("| GameService/GetGame | 20 | 10 | 30 |")


@pytest.mark.parametrize("form", FORMATS)
def test_an_error_in_the_log_is_a_fault_unless_it_is_expected(form: str) -> None:
    with logged(form) as log:
        try:
            raise RuntimeError("broken")
        except RuntimeError:
            logging.getLogger("clerestory").exception("unexpected error in a call")
        logging.getLogger("clerestory").error("game 7 is frozen")
        logging.getLogger("clerestory").warning("nothing but a warning")
    assert len(errors(log.getvalue())) == 2
    [fault] = errors(log.getvalue(), "game . is frozen")
    assert "unexpected error in a call" in fault


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
def test_mutated_calls(tmp_path: Path, seed: int) -> None:
    """The logs of even seeds are text, those of odd ones JSON; the servers of 3 and 7 require a token."""
    figures = fuzz(tmp_path, seed, 2_000 if seed else 200)
    assert not figures.faults, "\n".join(figures.faults)
    assert figures.calls >= 200
    assert len(figures.ends) > 50
