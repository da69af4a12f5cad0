"""`clerestory bench`: the benchmarks, each in a module of its own."""

from clerestory.cli.lazy import group

LAB = "clerestory.lab"

bench = group(
    {
        "Benchmarks": {
            "service": (
                "What the service adds to a search, and how late answers are.",
                f"{LAB}.bench_service:bench_service",
            ),
            "early": ("What an early end saves, and how often it was wrong.", f"{LAB}.bench_early:bench_early"),
            "value": ("Evaluations of positions from games, on one core.", f"{LAB}.bench_value:bench_value"),
            "engine": ("Random games from setup to end on one core.", f"{LAB}.bench_speed:bench_engine"),
            "search": ("Searches from the first decision of a game.", f"{LAB}.bench_speed:bench_search"),
            "budget": ("How far searches overrun their time budget.", f"{LAB}.bench_speed:bench_budget"),
        }
    },
    "Measure speed: medians over runs, and a reference loop timed beside them.",
)
