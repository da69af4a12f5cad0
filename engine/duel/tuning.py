"""How the game is searched; docs/decisions/ 5 to 10 explain these figures."""

from clerestory.engine.tuning import FITTED, GUIDED, LEARNED, REVIEWED, Manner, Sharpness, Tuning, ladder

MANNERS = {
    "perkin": Manner({"buy *": 6.0}, ("buy *",)),
    "mabel": Manner({"end": 0.7}, ("end",)),
    "ubald": Manner({"build * * *": 0.0, "build * *": 1.2}, ("build * * *",), often=False),
    "linnet": Manner({"stop": -1.0}, ("stop",), often=False),
    "corwin": Manner({"pass": 0.5}, ("pass",)),
    "theda": Manner({"buy *": 0.5, "sell *": 0.5}, ("buy *", "sell *")),
    "tancred": Manner({"stop": 0.3}, ("stop",)),
    "ottilie": Manner({"claim row *": 0.1}, ("claim row *",)),
}

TUNING = Tuning(
    search={2: {**GUIDED, "choice": "bound", "horizon": 20}},
    review_learned={2: REVIEWED},
    learned={2: {**LEARNED, "growth": 0.07, "sharpness": FITTED}},
    sharpness={2: Sharpness(0.933, stronger=-0.041, later=0.023)},
    temperature=8.0,
    scale={2: 20.0},
    worth_naming=0.15,
    told=("points", "gold", "materials", "raw", "seals", "cards"),
    certainty=(0.900, -0.086, 0.706, 0.193),
    manners=MANNERS,
    levels=ladder((20, 8.0), (35, 3.1), (80, 1.2), (140, 0.7), (240, 0.4), (400, 0.2), (1_500, 0.0), (20_000, 0.0)),
)
