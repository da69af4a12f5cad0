"""Generates chapters of docs/reference.md from declarations: settings, metrics, error reasons, options, fields."""

import re
from collections.abc import Iterator, Sequence

from clerestory.cli.options import option_name, variable_name
from clerestory.cli.serve import DEFAULTS, LOG
from clerestory.declared import Declaration, declarations, in_words
from clerestory.engine import GAMES
from clerestory.engine.core import Game
from clerestory.engine.games import with_catalogue
from clerestory.search.options import Options, shipped
from clerestory.server.gateway.config import GatewaySettings
from clerestory.server.rpc.errors import CODES
from clerestory.server.rpc.metrics import FIGURES

SEARCH_HEAD = "| option | meaning | range | `ismcts-plain` |"
SETTINGS_HEAD = "| option | environment | default | meaning |"
METRICS_HEAD = "| metric | kind | labels | meaning |"
REASONS_HEAD = "| reason | code | when |"
SETTINGS = "Of `clerestory serve`. Options override the environment, which overrides the defaults."
METRICS = "Times are in seconds. `method` is `Service/Method` for calls, of searches `RecommendMove`, `Analyze`, `Bot`."
REASONS = "Of a `google.rpc.ErrorInfo`; [how to read them](protocol.md#errors)."
FIELDS = "Of a position; RULES.md of the game explains steps and rulings."
SEARCH = "As in `ismcts-plain:reward=mix`. The last columns: what a game's shipped search has in place of the default."


def settings_table() -> str:
    """Return the table of the settings of `clerestory serve`."""
    return f"{SETTINGS_HEAD}\n|---|---|---|---|\n" + "".join(f"| {' | '.join(row)} |\n" for row in settings_rows())


def settings_rows() -> Iterator[tuple[str, str, str, str]]:
    """Yield the option, the environment variable, the default and the meaning of each setting."""
    for kind, defaults in ((type(DEFAULTS), DEFAULTS), (type(LOG), LOG), (GatewaySettings, None)):
        for field, declaration in declarations(kind).items():
            default = code(in_words(getattr(defaults, field, None), declaration), declaration)
            option, variable = option_name(field, declaration), variable_name(field, declaration)
            yield f"`{option}`", f"`{variable}`", default, declaration.meaning


def metrics_table() -> str:
    """Return the table of the metrics of a server: name, kind, labels, meaning."""
    rows = (
        f"| `{figure.full_name}` | {figure.kind.__name__.lower()} | {', '.join(f'`{one}`' for one in figure.labels)} | "
        f"{figure.meaning} |\n"
        for figure in FIGURES
    )
    return f"{METRICS_HEAD}\n|---|---|---|---|\n{''.join(rows)}"


def reasons_table() -> str:
    """Return the table of the reasons of errors: code, and cause."""
    rows = (f"| `{reason}` | `{code.name}` | {reason.meaning} |\n" for reason, code in CODES.items())
    return f"{REASONS_HEAD}\n|---|---|---|\n{''.join(rows)}"


# -- options of a search ---------------------------------------------------------------------------


def search_table() -> str:
    """Return the table of the options of a search: meaning, range, and the defaults of each game's shipped search."""
    games = [GAMES[name] for name in with_catalogue()]
    head = f"{SEARCH_HEAD} {' | '.join(f'`{game.name}`' for game in games)} |\n{'|---' * (4 + len(games))}|\n"
    return head + "".join(f"| {' | '.join(search_row(name, games))} |\n" for name in declarations(Options))


def search_row(name: str, games: Sequence[Game]) -> Iterator[str]:
    """Yield the cells of one option."""
    declaration, default = declarations(Options)[name], Options.__dataclass_fields__[name].default
    yield from (
        f"`{name}`",
        declaration.meaning,
        str(declaration.range),
        code(in_words(default, declaration), declaration),
    )
    yield from (shipped_value(name, game, default) for game in games)


def shipped_value(name: str, game: Game, default: object) -> str:
    """Return the value of an option in a game's shipped search, by number of players if it varies; "" for none."""
    of_game = {"temperature": game.tuning.temperature}
    values = {
        seats: {**of_game, "scale": game.tuning.scale[seats], **shipped(game, seats)}.get(name, default)
        for seats in game.seats
    }
    if len(set(values.values())) > 1:
        return ", ".join(f"`{value}` ({seats} players)" for seats, value in values.items())
    (value,) = set(values.values())
    return "" if value == default else f"`{value}`"


# -- chapters --------------------------------------------------------------------------------------


def code(words: str, declaration: Declaration) -> str:
    """Return a default with its value formatted as code, unless it is only words."""
    return words if words in ("none", "no", declaration.default) else re.sub(r"^\S+", r"`\g<0>`", words)


def declared_chapters() -> Iterator[str]:
    """Yield a chapter for each table."""
    yield f"## Reasons of errors\n\n{REASONS}\n\n{reasons_table()}"
    yield f"## Settings of a server\n\n{SETTINGS}\n\n{settings_table()}"
    yield f"## Metrics of a server\n\n{METRICS}\n\n{metrics_table()}"
    yield f"## Options of a search\n\n{SEARCH}\n\n{search_table()}"
    for name, game in GAMES.items():
        yield f"## Fields of `{name}`\n\n{FIELDS}\n\n{game.layout.description()}"
