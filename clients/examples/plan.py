"""Plans the conversions of a position: `python plan.py TARGET POSITION [CRAFTSMAN=TIMES ...]`.

Without craftsmen it lists who could be used, and how often.
"""

import json
import sys
from pathlib import Path

from clerestory.clients import Advisor, ConversionPlan


def described(plan: ConversionPlan) -> list[str]:
    """Return a plan in lines of text."""
    if plan.faults:
        return [f"impossible: {fault}" for fault in plan.faults]
    steps = [action.label for action in plan.actions]
    lost = [f"{plan.gold_lost} gold lost to the limit of 30"] if plan.gold_lost else []
    return [*steps, *(change.text for change in plan.changes), *lost]


def main(target: str, position: str, *uses: str) -> None:
    """Print what can be planned, or a plan."""
    times = {item: int(count) for item, _, count in (use.partition("=") for use in uses)}
    with Advisor(target) as advisor:
        table = advisor.rules.follow(json.loads(Path(position).read_text()))
        plan = table.plan(times)
    if not times:
        print("\n".join(f"{one.item}: {one.label}, up to {one.most}" for one in plan.possible))
    print("\n".join(described(plan)))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python plan.py TARGET POSITION [CRAFTSMAN=TIMES ...]")
    main(*sys.argv[1:])
