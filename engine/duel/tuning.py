"""Search settings of the game; docs/decisions/ 5 to 10 explain these figures."""

from clerestory.engine.tuning import FITTED, GUIDED, LEARNED, REVIEWED, Manner, Sharpness, Tuning, ladder

MANNERS = {
    "perkin": Manner({"buy *": 40.0}, ("buy *",)),
    "mabel": Manner({"end": 1.2}, ("end",)),
    "ubald": Manner({"build * * *": -0.8, "build * *": 1.8}, ("build * * *",), often=False),
    "linnet": Manner({"stop": -1.0}, ("stop",), often=False),
    "corwin": Manner({"pass": 1.1}, ("pass",)),
    "theda": Manner({"buy *": 1.6, "sell *": 1.6}, ("buy *", "sell *")),
    "tancred": Manner({"flip personal": 0.3}, ("flip personal",)),
    "ottilie": Manner({"claim row *": 0.5}, ("claim row *",)),
}

TUNING = Tuning(
    search={2: {**GUIDED, "choice": "bound", "horizon": 20}},
    review_learned={2: REVIEWED},
    learned={2: {**LEARNED, "exploration": 0.15, "growth": 0.1, "priors": "learned", "sharpness": FITTED}},
    sharpness={
        2: Sharpness(
            0.855, stronger=0.057, later=0.025, both=0.008, last=0.254, first=0.104, first_seat=-0.043, rounds=12
        )
    },
    temperature=8.0,
    scale={2: 20.0},
    worth_naming=0.15,
    explained=("points", "gold", "materials", "raw", "seals", "cards"),
    sources=("sections", "placed"),
    certainty={2: (-0.786, 0.201, 0.908, 0.049)},
    manners=MANNERS,
    levels=ladder((20, 30.0), (35, 3.8), (60, 2.7), (140, 1.4), (240, 0.55), (400, 0.15), (1_500, 0.0), (20_000, 0.0)),
)
