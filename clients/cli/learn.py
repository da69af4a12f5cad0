"""`clerestory learn`: a value learned by self-play, generation after generation."""

import os

from clerestory.cli.crew import WORKERS, WorkerOptions
from clerestory.cli.grouped import grouped
from clerestory.cli.learning_options import LearningOptions
from clerestory.cli.options import BadOption


@grouped()
def learn(options: LearningOptions, workers: WorkerOptions = WORKERS) -> None:
    """Learn a value of GAME from games of the search against itself; matches decide whether each one is better."""
    require_numpy()
    from clerestory.cli.learning import run_learning

    run_learning(options, workers.number(), workers.crew())


def require_numpy() -> None:
    """Raise BadOption if NumPy is not installed; fit on one thread, so that equal games give equal weights."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError:
        raise BadOption("learn: NumPy is not installed: pip install 'clerestory[numpy]'") from None
