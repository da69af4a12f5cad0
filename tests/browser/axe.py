"""Finds accessibility problems of a page with axe-core."""

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "clients" / "web" / "node_modules" / "axe-core" / "axe.min.js"
RULES = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']"
OF_COLOURS = "['color-contrast', 'link-in-text-block']"  # the other rules do not depend on the colour scheme


def violations(page: Page, rules: str = RULES, part: str = "html") -> list[str]:
    """Return the violations found by axe-core in a part of a page, each with the first element."""
    page.evaluate(f"() => {{ if (!window.axe) {{ {AXE.read_text()} }} }}")
    options = f"{{runOnly: {rules}, resultTypes: ['violations'], preload: false}}"
    found = page.evaluate(f"async () => (await axe.run('{part}', {options})).violations")
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]} {one['nodes'][0]['failureSummary'][:200]}" for one in found]


def violations_by_day_and_night(page: Page, part: str = "html") -> list[str]:
    by_day = violations(page, part=part)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    return [*by_day, *violations(page, OF_COLOURS, part)]
