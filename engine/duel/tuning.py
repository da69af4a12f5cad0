"""How the game is searched; docs/decisions/ 5 to 10 explain these figures."""

from clerestory.engine.tuning import FITTED, GUIDED, LEARNED, REVIEWED, Manner, Sharpness, Tuning, ladder

MANNERS = {
    "perkin": Manner({"buy *": 20.0}, ("buy *",)),
    "mabel": Manner({"end": 0.7}, ("end",)),
    "ubald": Manner({"build * * *": -0.8, "build * *": 1.8}, ("build * * *",), often=False),
    "linnet": Manner({"stop": -1.0}, ("stop",), often=False),
    "corwin": Manner({"pass": 0.7}, ("pass",)),
    "theda": Manner({"buy *": 0.5, "sell *": 0.5}, ("buy *", "sell *")),
    "tancred": Manner({"flip personal": 0.3}, ("flip personal",)),
    "ottilie": Manner({"claim row *": 0.1}, ("claim row *",)),
}

TUNING = Tuning(
    search={2: {**GUIDED, "choice": "bound", "horizon": 20}},
    review_learned={2: REVIEWED},
    learned={2: {**LEARNED, "exploration": 0.15, "growth": 0.1, "priors": "learned", "sharpness": FITTED}},
    sharpness={2: Sharpness(1.033, stronger=-0.027, later=0.007, both=0.001, last=0.286, first=-0.056, rounds=12)},
    temperature=8.0,
    scale={2: 20.0},
    worth_naming=0.15,
    told=("points", "gold", "materials", "raw", "seals", "cards"),
    certainty=(0.241, 0.024, 0.667, 0.069),
    manners=MANNERS,
    levels=ladder((20, 30.0), (35, 3.8), (60, 2.7), (140, 1.4), (240, 0.55), (400, 0.15), (1_500, 0.0), (20_000, 0.0)),
)
