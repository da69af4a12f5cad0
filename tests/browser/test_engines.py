"""A whole game in the engines of other browsers, whose parts of the web may differ."""

import time
from pathlib import Path

import pytest

from tests.browser.engines import ENGINES, NotInstalled, Tab

PATIENCE = 120  # seconds without anything to do
STORED = "localStorage.setItem('pace', '0'); localStorage.setItem('language', 'en');"
READY = "return document.querySelector('form button[type=submit]') !== null"
START = """
  document.querySelector('input[name=game][value=duel]').click();
  return new Promise(done => setTimeout(() => {
    const bot = document.querySelector('select[aria-label=Blue]');
    bot.value = 'bot1';
    bot.dispatchEvent(new Event('change', {bubbles: true}));
    document.querySelector('form button[type=submit]').click();
    done(true);
  }, 300))"""
PLAY = """
  const ended = document.querySelector('[data-testid=winner]');
  if (ended) return ended.innerText;
  const action = document.querySelector(".status.mine ~ * .action:not([aria-disabled='true'])");
  if (!action || document.querySelector('[data-fresh]')) return '';
  action.click();
  return 'clicked'"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_game_is_played_to_its_end(engine: str, url: str, tmp_path: Path) -> None:
    try:
        with ENGINES[engine](tmp_path) as tab:
            clicks, ended = played(tab, url)
    except NotInstalled as reason:
        pytest.skip(str(reason))
    assert clicks > 20
    assert "wins" in ended


def played(tab: Tab, url: str) -> tuple[int, str]:
    """Play a game of the duel by the first action each time; return the number of clicks, and who won."""
    tab.go(url)
    tab.run(STORED)
    tab.go(url + "?again")
    until(tab, READY)
    tab.run(START)
    clicks = 0
    while (found := until(tab, PLAY)) == "clicked":
        clicks += 1
    return clicks, found


def until(tab: Tab, script: str) -> str:
    """Return what a script returns as soon as that is something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := tab.run(script):
            return str(found)
        time.sleep(0.05)
    raise TimeoutError(tab.run("return document.body.innerText"))
