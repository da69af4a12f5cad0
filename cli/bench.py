"""`clerestory bench`: the benchmarks, each in a module of its own."""

from clerestory.cli.lazy import group

bench = group(
    {
        "Benchmarks": {
            "service": ("What the service adds to a search, and how late answers are.", "bench_service:bench_service"),
            "early": ("What an early end saves, and how often it was wrong.", "bench_early:bench_early"),
            "value": ("Evaluations of positions from games, on one core.", "bench_value:bench_value"),
            "engine": ("Random games from setup to end on one core.", "bench_speed:bench_engine"),
            "search": ("Searches from the first decision of a game.", "bench_speed:bench_search"),
            "budget": ("How far searches overrun their time budget.", "bench_speed:bench_budget"),
        }
    },
    "Measure speed: medians over runs, and a reference loop timed beside them.",
)
