"""Games in other browser engines, whose web features may differ, with a server and without one."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.browser.harness import SETTLED
from tests.browsers import OTHERS, until
from tests.clients.node import ROOT
from tests.parts import missing
from tools.lab.browser import static_server

SITE = ROOT / "build" / "site"

READY = """
  if (!document.querySelector('select[aria-label=Blue] option[value=bot1]')) return '';
  localStorage.setItem('pace', '0');
  localStorage.setItem('language', 'en');
  return 'ready'"""
RELOAD = "window.left = true; location.reload()"  # the page that is left answers for a while
CHOOSE = """
  if (window.left) return '';
  const duel = document.querySelector('input[name=game][value=duel]');
  const bot = document.querySelector('select[aria-label=Blue]');
  if (!duel?.checked) duel?.click();
  else if (bot.value !== 'bot1') {
    bot.value = 'bot1';
    bot.dispatchEvent(new Event('change', {bubbles: true}));
  } else {
    document.querySelector('form button[type=submit]').click();
    return 'chosen';
  }
  return ''"""
PLAY = """
  const ended = document.querySelector('[data-testid=winner]');
  if (ended) return ended.innerText;
  const action = document.querySelector(".status.mine ~ * .action:not([aria-disabled='true'])");
  if (!action || document.querySelector('[data-fresh]')) return '';
  action.click();
  return 'clicked'"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", OTHERS)
def test_a_game_is_played_to_its_end(engine: str, url: str, tmp_path: Path) -> None:
    with OTHERS[engine](tmp_path, url) as run:
        until(run, READY)
        run(RELOAD)
        until(run, CHOOSE)
        clicks = 0
        while (found := until(run, PLAY)) == "clicked":
            clicks += 1
    assert clicks > 20
    assert "wins" in found


KEPT = """
  navigator.serviceWorker.ready.then(() => { window.kept = 'kept'; });
  return window.kept"""
HINT = """
  const line = document.querySelector('.lines tbody tr');
  if (line) return line.innerText;
  const hints = document.querySelector('#hints');
  hints.value = 'table';
  hints.dispatchEvent(new Event('change', {bubbles: true}));
  return ''"""
VERSION = f"""
  const settled = !window.left && document.querySelector('.table') && ({SETTLED})();
  return settled ? document.querySelector('[data-version]').dataset.version : ''"""


@pytest.mark.parametrize("engine", OTHERS)
def test_a_game_without_a_server_outlives_its_host(engine: str, tmp_path: Path) -> None:
    if not (SITE / "sw.js").is_file():
        missing("the page that plays without a server", "make site")
    with ExitStack() as host:
        url = host.enter_context(static_server(SITE.parent))
        with OTHERS[engine](tmp_path, f"{url}/site/") as run:
            until(run, READY)
            until(run, KEPT)
            run(RELOAD)
            until(run, CHOOSE)
            first = until(run, VERSION)
            assert until(run, PLAY) == "clicked"
            until(run, f"return document.querySelector('[data-version]').dataset.version > {first}")
            assert until(run, HINT)
            version = until(run, VERSION)
            host.close()
            run(RELOAD)
            assert until(run, VERSION) == version
            assert until(run, PLAY) == "clicked"
            until(run, f"return document.querySelector('[data-version]').dataset.version > {version}")
