"""`clerestory hint`: a ranked table of the legal actions, from a search in this process."""

from typing import Annotated

import typer

from clerestory.cli.language import LanguageOption, speak
from clerestory.cli.options import JsonOption, read_text

EVERY = "200ms"  # between two tables with --watch


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
    """Rank the legal actions, best first, with what each loses to the best and how play may continue."""
    from clerestory.cli.asking import show_answer, show_updates
    from clerestory.cli.locale import say
    from clerestory.cli.servers import advised
    from clerestory.cli.status import status_line
    from clerestory.clients.wire import QuestionOptions

    speak(language, as_json=as_json)
    text = read_text(position)
    options = QuestionOptions(lines=0 if as_json else lines, threads=threads, seed=seed, early_stop=False)
    with advised(None, workers=threads) as advisor:
        if watch and not as_json:
            with advisor.analyze(text, time, every=EVERY, **options) as updates:
                show_updates(updates, text)
            return
        with status_line(say("status.search"), hidden=as_json):
            answer = advisor.recommend(text, time, **options)
    show_answer(answer, text, as_json=as_json)
