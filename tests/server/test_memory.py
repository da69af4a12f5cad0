"""The memory of the process."""

import gc

from clerestory.server.memory import FULL_COLLECTION, collect_seldom


def test_full_collections_become_rare_and_leave_out_what_exists_now() -> None:
    thresholds, frozen = gc.get_threshold(), gc.get_freeze_count()
    try:
        collect_seldom()
        assert gc.get_threshold() == (*thresholds[:2], FULL_COLLECTION)
        assert gc.get_freeze_count() > frozen
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)
