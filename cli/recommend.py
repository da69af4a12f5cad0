"""`clerestory recommend` and `analyze`: the best move in a position with its reason, at the end or live."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from google.protobuf.json_format import MessageToDict

from clerestory.advice.question import MAX_ITERATIONS
from clerestory.cli.answers import answer_view
from clerestory.cli.grouped import grouped
from clerestory.cli.options import BadOption, JsonOption, read_file
from clerestory.cli.screen import redrawing, screen
from clerestory.cli.servers import PLAIN, Access, ServerOption, advised
from clerestory.clients import Recommendation, Update
from clerestory.clients.wire import ONLOOKER, QuestionOptions
from clerestory.engine import State, from_position
from clerestory.v1.advisor_pb2 import RecommendMoveResponse

MAX_NUMBER = 2**64 - 1
DEFAULT_TIME = "1s"

PositionArgument = Annotated[str, typer.Argument(help="A position file, or - for standard input.")]
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

    def options(self, lines: int) -> QuestionOptions:
        """Return the question's options, as a client takes them."""
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
    as_json: JsonOption = False,
) -> None:
    """Recommend a move for the seat to decide, using only what that seat can know."""
    text, options = read_file(question.position), question.options(lines)
    options["level"] = level
    with advised(server, access, question.threads) as advisor:
        answer = advisor.recommend(text, question.limit(), **options)
    show_answer(answer, text, as_json=as_json)


@grouped()
def analyze(
    question: Query,
    every: Annotated[str, typer.Option(metavar="TIME", help="Time between two tables, as in 250ms.")] = "250ms",
    certainty: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="End once so many of longer searches would name the same best action, 0.5 to 1."
        ),
    ] = None,
    observer: ObserverOption = None,
    lines: LinesOption = 5,
    server: ServerOption = None,
    access: Access = PLAIN,
    as_json: JsonOption = False,
) -> None:
    """Show the best actions of a position and how play may go on, ever more exactly; with --json, a line per table."""
    text = read_file(question.position)
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
            show_updates(updates, from_position(text))


def observer_of(word: str | None) -> int | None:
    """Return whose knowledge an option names. Raises BadOption."""
    if word is None or word == "onlooker":
        return None if word is None else ONLOOKER
    if not (word.isascii() and word.isdigit()):
        raise BadOption(f"--observer: {word!r} is neither a seat nor onlooker")
    return int(word)


def in_json(answer: RecommendMoveResponse) -> dict[str, Any]:
    """Return an answer in the JSON of the API, with its names as proto/ has them; 64-bit numbers are strings."""
    return MessageToDict(answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def show_answer(answer: Recommendation, position: bytes, *, as_json: bool) -> None:
    """Print an answer about a position."""
    if as_json:
        typer.echo(json.dumps(in_json(answer.message), indent=2))
        return
    console = screen()
    console.print(answer_view(answer, from_position(position), console.width))


def print_updates(updates: Iterator[Update]) -> None:
    """Print each table as it arrives, as a line of JSON."""
    for update in updates:
        recommendation = in_json(update.recommendation.message)
        fields = {"recommendation": recommendation, "sequence": update.sequence, "final": update.final}
        typer.echo(json.dumps(fields))


def show_updates(updates: Iterator[Update], state: State) -> None:
    """Show each table as it arrives, in place of the previous one."""
    console = screen()
    with redrawing(console) as show:
        for update in updates:
            show(answer_view(update.recommendation, state, console.width))
