"""Search settings of the game; docs/decisions/ 5 to 10 explain these figures."""

from typing import Any

from clerestory.engine.tuning import FITTED, GUIDED, LEARNED, REVIEWED, Manner, Sharpness, Tuning, ladder

SEARCH: dict[str, Any] = {**GUIDED, "horizon": 0}

SEARCH_LEARNED: dict[str, Any] = {
    **LEARNED,
    "exploration": 0.25,
    "growth": 0.1,
    "priors": "learned",
    "sharpness": FITTED,
}

CALIBRATED: dict[str, Any] = {"temperature": 4.0}  # of a review's shares by the hand-made value

MANNERS = {
    "perkin": Manner({"take *": 3.0}, ("take *",)),
    "mabel": Manner({"wait *": 0.6}, ("wait *",)),
    "ubald": Manner({"wait *": -0.4}, ("wait *",), often=False),
    "linnet": Manner({"place * court": -0.25}, ("place * court",), often=False),
    "corwin": Manner({"place * kingsbridge.*": 0.15}, ("place * kingsbridge.*",)),
    "theda": Manner({"place * market": 0.07, "buy *": 0.07, "sell *": 0.07}, ("place * market",)),
    "tancred": Manner({"place * priory": 0.25}, ("place * priory",)),
    "ottilie": Manner({"hire *": 0.1}, ("hire *",)),
}

TUNING = Tuning(
    search={2: SEARCH | {"horizon": 20}, 3: SEARCH, 4: SEARCH | {"exploration": 0.3}},
    review={2: CALIBRATED, 3: CALIBRATED | {"horizon": 60}, 4: CALIBRATED | {"horizon": 60}},
    review_learned=dict.fromkeys((2, 3, 4), REVIEWED),
    learned=dict.fromkeys((2, 3, 4), SEARCH_LEARNED),
    sharpness={
        2: Sharpness(
            1.728, stronger=0.031, later=-0.008, both=0.024, last=0.256, first=-0.188, first_seat=0.097, rounds=6
        ),
        3: Sharpness(1.196, later=0.002, last=0.288, first=-0.075, first_seat=0.178, rounds=6),
        4: Sharpness(1.108, later=-0.003, last=0.311, first=-0.175, first_seat=0.148, rounds=6),
    },
    temperature=8.0,
    scale={2: 30.0, 3: 20.0, 4: 10.0},
    worth_naming=0.15,
    explained=("vp", "gold", "sand", "wood", "stone", "metal"),
    sources=("vp_priory", "vp_craftsmen", "vp_cards"),
    certainty={2: (0.576, -0.07, 0.929, 0.066), **dict.fromkeys((3, 4), (0.887, -0.027, 0.779, 0.11))},
    manners=MANNERS,
    levels=ladder((16, 7.0), (36, 2.7), (95, 1.0), (203, 0.46), (375, 0.22), (870, 0.057), (1_500, 0.0), (20_000, 0.0)),
)
