"""Options that the tests of the search go through: each choice alone, and mixtures of them."""

from typing import Any

CHOICES: list[dict[str, Any]] = [
    {},
    {"reward": "margin", "exploration": 0.3},
    {"reward": "mix"},
    {"playout": "informed"},
    {"horizon": 0},
    {"horizon": 6, "temperature": 3.0},
    {"selection": "puct"},
    {"selection": "puct", "prior_floor": 0.2, "reward": "margin"},
    {"selection": "puct", "growth": 0.2, "reward": "margin", "horizon": 0},
    {"selection": "puct", "endings": "proven", "reward": 0.2},
    {"choice": "bound"},
    {"choice": "bound", "deviations": 5.0, "reward": "margin"},
    {"reward": "mix", "playout": "informed", "horizon": 4, "choice": "bound"},
]
