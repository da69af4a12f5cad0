"""Plans of conversions through the Python client, and the example that makes one."""

import json
from pathlib import Path
from runpy import run_path

import pytest

from clerestory.clients import Advisor

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "positions"
AT_CATHEDRAL = EXAMPLES / "cathedral-3p-round6-cathedral.json"
main = run_path(str(ROOT / "clients" / "examples" / "plan.py"))["main"]


def test_the_actions_of_a_plan_lead_to_its_position(target: str) -> None:
    with Advisor(target) as advisor:
        table = advisor.rules.follow(json.loads(AT_CATHEDRAL.read_text()))
        start = table.plan()
        assert start.possible
        assert (start.actions, start.faults, start.changes) == ((), (), ())
        most = {one.item: one.most for one in start.possible if one.most}
        item = next(iter(most))
        plan = table.plan({item: most[item]}, finish=True)
        assert [action.text.split()[0] for action in plan.actions][-1] == "finish"
        assert not plan.faults
        assert any(change.card == item for change in plan.changes)
        applied = table.apply(plan.actions)
        assert plan.message.position == table.message
        assert [done.action for done in applied] == list(plan.actions)
        assert {change.text for change in plan.changes} == {one.text for done in applied for one in done.changes}


def test_the_example_lists_and_plans(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*uses: str) -> str:
        main(target, str(AT_CATHEDRAL), *uses)
        return capsys.readouterr().out

    item = next(line.partition(":")[0] for line in printed().splitlines() if not line.endswith(" 0"))
    assert "once" in printed(f"{item}=1")
    assert "impossible" in printed(f"{item}=50")
