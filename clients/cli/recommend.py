"""`clerestory recommend` and `analyze`: the best move in a position with its reason, at the end or live."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from clerestory.cli.access import PLAIN, Access, ServerOption
from clerestory.cli.grouped import grouped
from clerestory.cli.language import LanguageOption, speak
from clerestory.cli.options import JsonOption, read_text
from clerestory.search.limits import MAX_ITERATIONS

if TYPE_CHECKING:
    from clerestory.clients.wire import QuestionOptions

MAX_NUMBER = 2**64 - 1
DEFAULT_TIME = "1s"

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
        help="Most iterations of the search, each of which plays the game on once.",
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
    typer.Option(metavar="SEAT", help="Whose knowledge is used: a seat, or `onlooker`; by default the seat to decide."),
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

    def limit(self) -> str | None:
        """Return the time budget; the default one for a search without any limit."""
        return DEFAULT_TIME if self.time is None and self.iterations is None else self.time

    def options(self, lines: int) -> "QuestionOptions":
        """Return the question's options, as a client takes them."""
        from clerestory.clients.wire import QuestionOptions

        search = QuestionOptions(iterations=self.iterations, seed=self.seed, threads=self.threads, lines=lines)
        return QuestionOptions(seat=self.seat, consider=self.consider, avoid=self.avoid, **search)


@grouped()
def recommend(
    question: Query,
    level: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=8, help="Level of play, 1 to 8; full strength by default.")
    ] = None,
    lines: LinesOption = 0,
    server: ServerOption = None,
    access: Access = PLAIN,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Recommend a move for the seat to decide, using only what that seat can know."""
    from clerestory.cli.asking import show_answer
    from clerestory.cli.locale import say
    from clerestory.cli.servers import advised
    from clerestory.cli.status import status_line

    speak(language, as_json=as_json)
    text, options = read_text(question.position), question.options(lines)
    options["level"] = level
    with advised(server, access, question.threads) as advisor, status_line(say("status.search"), hidden=as_json):
        answer = advisor.recommend(text, question.limit(), **options)
    show_answer(answer, text, as_json=as_json)


@grouped()
def analyze(
    question: Query,
    every: Annotated[str, typer.Option(metavar="TIME", help="Time between two tables, as in 250ms.")] = "250ms",
    certainty: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="End once this share of longer searches, 0.5 to 1, would name the same best action."
        ),
    ] = None,
    observer: ObserverOption = None,
    lines: LinesOption = 5,
    server: ServerOption = None,
    access: Access = PLAIN,
    language: LanguageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the best actions of a position and how play may go on, ever more exactly; with --json, a line per table."""
    from clerestory.cli.asking import observer_of, print_updates, show_updates
    from clerestory.cli.servers import advised

    speak(language, as_json=as_json)
    text = read_text(question.position)
    watcher, options = observer_of(observer), question.options(lines)
    with (
        advised(server, access, question.threads) as advisor,
        advisor.analyze(
            text, question.limit(), every=every, certainty=certainty, observer=watcher, **options
        ) as updates,
    ):
        if as_json:
            print_updates(updates)
        else:
            show_updates(updates, text)
