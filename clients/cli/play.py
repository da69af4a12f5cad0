"""`clerestory play`, `recommend`, `analyze`, `hint`, `lesson` and `puzzle`: the commands for players."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.access import PLAIN, Access, ServerOption
from clerestory.cli.game_options import PlayOptions
from clerestory.cli.language import LanguageOption, speak
from clerestory.cli.options import DEFAULT_GAME, GameOption, JsonOption, argument, chosen_game, grouped, read_text
from clerestory.search.limits import MAX_ITERATIONS

if TYPE_CHECKING:
    from clerestory.clients.wire import QuestionOptions


PLAY = PlayOptions()

MAX_NUMBER = 2**64 - 1
DEFAULT_TIME = "1s"
MAX_LEVEL = 8  # NUM_LEVELS of engine/tuning.py, which help does not need

PositionArgument = Annotated[str, typer.Argument(metavar="POSITION", help="A position file, or - for standard input.")]
TimeOption = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="TIME",
        help=f"Time to think, as in 500ms or 2s; {DEFAULT_TIME} if --iterations is not given either.",
    ),
]
IterationsOption = Annotated[
    int | None,
    typer.Option(
        "--iterations",
        metavar="N",
        min=1,
        max=MAX_ITERATIONS,
        help="Maximum number of iterations of the search.",
    ),
]
SeatOption = Annotated[
    int | None,
    typer.Option("--seat", metavar="N", min=0, help="The seat to decide, from 0; by default taken from the position."),
]
SearchSeedOption = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", min=0, max=MAX_NUMBER, help="Seed of the search; random by default."),
]
ObserverOption = Annotated[
    str | None,
    typer.Option(metavar="SEAT", help="Whose knowledge to use: a seat or `onlooker`; by default the seat to decide."),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        min=1,
        max=256,
        help="Threads that search; by default all idle ones, but 1 with --iterations, --seed or --level.",
    ),
]
LinesOption = Annotated[
    int,
    typer.Option(
        "--lines", metavar="N", min=0, max=128, help="Number of actions in the answer, best first; 0 for all."
    ),
]
ConsiderOption = Annotated[
    list[str] | None, typer.Option("--consider", metavar="ACTION", help="Search only this action; may be repeated.")
]
AvoidOption = Annotated[
    list[str] | None, typer.Option("--avoid", metavar="ACTION", help="Leave this action out; may be repeated.")
]

RatesOption = Annotated[
    bool, typer.Option("--rates", help="Also show the value of one more of each good; takes a third of the time.")
]

WATCH_INTERVAL = "200ms"  # between two tables with --watch

NumberArgument = Annotated[
    int | None, typer.Argument(metavar="NUMBER", min=1, help="Number of the puzzle; by default a random one.")
]


# -- clerestory play -------------------------------------------------------------------------------


@grouped()
def play(
    options: PlayOptions = PLAY,
    access: Access = PLAIN,
    language: LanguageOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print events as JSON lines; text for people goes to standard error.")
    ] = False,
) -> None:
    """Play a game; type `help` for the commands.

    With --server, the server keeps a new game, unless --record keeps it here. To continue it, give the ID#TOKENS that
    is shown at the end as `start`; the ID alone takes an open seat.
    """
    from clerestory.cli.games import play_game  # the games and clients, which help does not need

    speak(language, as_json=as_json)
    sys.exit(play_game(options, access, as_json=as_json))


# -- clerestory recommend and analyze --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Query:
    """The options of both commands: the position, the limits of the search, and the actions to consider."""

    position: PositionArgument
    time: TimeOption = None
    iterations: IterationsOption = None
    seat: SeatOption = None
    seed: SearchSeedOption = None
    threads: ThreadsOption = None
    consider: ConsiderOption = None
    avoid: AvoidOption = None
    rates: RatesOption = False

    def limit(self) -> str | None:
        """Return the time budget; the default one for a search without any limit."""
        return DEFAULT_TIME if self.time is None and self.iterations is None else self.time

    def options(self, lines: int) -> "QuestionOptions":
        """Return the question's options, as a client takes them."""
        from clerestory.clients.wire import QuestionOptions

        search = QuestionOptions(
            iterations=self.iterations, seed=self.seed, threads=self.threads, lines=lines, rates=self.rates
        )
        return QuestionOptions(seat=self.seat, consider=self.consider, avoid=self.avoid, **search)


@grouped()
def recommend(
    question: Query,
    level: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=MAX_LEVEL, help="Level of play, 1 to 8; full strength by default."),
    ] = None,
    lines: LinesOption = 0,
    server: ServerOption = None,
    access: Access = PLAIN,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Recommend a move for the seat to decide, using only what that seat can know."""
    from clerestory.cli.answers import show_answer
    from clerestory.cli.locale import say
    from clerestory.cli.screen import status_line
    from clerestory.cli.servers import advised

    speak(language, as_json=as_json)
    text, options = read_text(question.position), question.options(lines)
    options["level"] = level
    with (
        advised(server, access, question.threads, question.position) as advisor,
        status_line(say("status.search"), hidden=as_json),
    ):
        answer = advisor.recommend(text, question.limit(), **options)
    show_answer(answer, text, as_json=as_json)


@grouped()
def analyze(
    question: Query,
    every: Annotated[str, typer.Option(metavar="TIME", help="Time between two tables, as in 250ms.")] = "250ms",
    certainty: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Stop once this share of longer searches, 0.5 to 1, would choose the same best action.",
        ),
    ] = None,
    observer: ObserverOption = None,
    lines: LinesOption = 5,
    server: ServerOption = None,
    access: Access = PLAIN,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the best actions of a position and how play may continue, with updates; with --json, one line per table."""
    from clerestory.cli.answers import observer_of, print_updates, show_updates
    from clerestory.cli.servers import advised

    speak(language, as_json=as_json)
    text = read_text(question.position)
    watcher, options = observer_of(observer), question.options(lines)
    with (
        advised(server, access, question.threads, question.position) as advisor,
        advisor.analyze(
            text, question.limit(), every=every, certainty=certainty, observer=watcher, **options
        ) as updates,
    ):
        if as_json:
            print_updates(updates)
        else:
            show_updates(updates, text)


# -- clerestory hint -------------------------------------------------------------------------------


def hint(
    position: Annotated[str, typer.Argument(metavar="POSITION", help="A position file, or - for standard input.")],
    time: Annotated[str, typer.Option(metavar="TIME", help="Time of the search, as in 500ms or 2s.")] = "1s",
    lines: Annotated[int, typer.Option(metavar="N", min=1, max=128, help="Actions to show, best first.")] = 5,
    threads: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=256, help="Threads that search; by default all cores, but 1 with --seed."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=2**64 - 1, help="Seed of the search; random by default.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Update the table while the search runs.")] = False,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rank the legal actions, best first, with the loss of each compared to the best and how play may continue."""
    from clerestory.cli.answers import show_answer, show_updates
    from clerestory.cli.locale import say
    from clerestory.cli.screen import status_line
    from clerestory.cli.servers import advised
    from clerestory.clients.wire import QuestionOptions

    speak(language, as_json=as_json)
    text = read_text(position)
    options = QuestionOptions(lines=0 if as_json else lines, threads=threads, seed=seed, early_stop=False)
    with advised(None, workers=threads, position=position) as advisor:
        if watch and not as_json:
            with advisor.analyze(text, time, every=WATCH_INTERVAL, **options) as updates:
                show_updates(updates, text)
            return
        with status_line(say("status.search"), hidden=as_json):
            answer = advisor.recommend(text, time, **options)
    show_answer(answer, text, as_json=as_json)


# -- clerestory lesson -----------------------------------------------------------------------------


def learn(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name of the lesson; without one, all are listed.")
    ] = None,
    language: LanguageOption = None,
) -> None:
    """Play a lesson: it explains a game step by step, with exercises on a board against an opponent."""
    from clerestory.cli.teaching import list_lessons, teach
    from clerestory.server.lessons import lesson

    locale = speak(language)
    if name is None:
        list_lessons(locale)
    else:
        with argument("NAME"):
            chosen = lesson(name)
        teach(chosen, locale)


# -- clerestory puzzle -----------------------------------------------------------------------------


def solve(
    number: NumberArgument = None,
    game: GameOption = DEFAULT_GAME,
    level: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=MAX_LEVEL, help="Choose among the puzzles that this level of play can just solve."
        ),
    ] = None,
    seats: Annotated[
        int | None, typer.Option(metavar="N", help="Choose among the puzzles with this number of players.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, max=2**64 - 1, help="Seed of the random choice; random by default."),
    ] = None,
    action: Annotated[str | None, typer.Option("--try", metavar="ACTION", help="Judge this action, and exit.")] = None,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a position with one clearly best action, and rate the actions that you try."""
    from clerestory.cli.teaching import chosen, show_puzzle

    speak(language, as_json=as_json)
    show_puzzle(chosen(chosen_game(game), number, level, seats, seed), action, as_json=as_json)
