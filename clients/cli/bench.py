"""`clerestory bench`: the benchmarks, each in a module of its own."""

from clerestory.cli.lazy import group

LAB = "clerestory.bench"

bench = group(
    {
        "Benchmarks": {
            "service": (
                "What the service adds to a search, and how late answers are.",
                f"{LAB}.service:bench_service",
            ),
            "early": ("What an early end saves, and how often it was wrong.", f"{LAB}.early:bench_early"),
            "manners": ("What characters do that plain bots of their level do not.", f"{LAB}.manners:bench_manners"),
            "value": ("Evaluations of positions from games, on one core.", f"{LAB}.value:bench_value"),
            "engine": ("Random games from setup to end on one core.", f"{LAB}.speed:bench_engine"),
            "search": ("Searches from the first decision of a game.", f"{LAB}.speed:bench_search"),
            "budget": ("How far searches overrun their time budget.", f"{LAB}.speed:bench_budget"),
        }
    },
    "Benchmarks: of speed, with a reference loop timed beside it, of early ends, and of the manners of characters.",
)
