"""`clerestory completion` and `manual`: scripts for shells and manual pages, from the declarations of help."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from clerestory import __version__
from clerestory.cli.options import BadOption

PROGRAM = "clerestory"

BASH = """_clerestory() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} path={program} known= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {paths}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$known" -- "$word"))
}}
complete -o default -F _clerestory {program}
"""
ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


class Listed(NamedTuple):
    """A command, or a group of them.

    Attributes:
        words: of its name, such as `clerestory bench engine`.
        summary: what it does.
        options: that it has, with their values and helps.
        arguments: without a name.
        parts: names of the commands of a group, with their summaries.
    """

    words: tuple[str, ...]
    summary: str
    options: list[Any]
    arguments: list[Any]
    parts: dict[str, str]


def listed(command: Any, words: tuple[str, ...] = (PROGRAM,)) -> Iterator[Listed]:
    """Yield a command of click, and below it those of a group."""
    context = command.make_context(words[-1], [], resilient_parsing=True)
    options = [one for one in command.get_params(context) if one.param_type_name == "option" and not one.hidden]
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    below = getattr(command, "commands", {})
    parts = {name: one.help or "" for name, one in below.items()}
    yield Listed(words, " ".join((command.help or "").split()), options, arguments, parts)
    for name in below:
        yield from listed(command.resolve_command(context, [name])[1], (*words, name))


def whole() -> Iterator[Listed]:
    """Yield every command of the program."""
    from typer.main import get_command

    from clerestory.cli.main import app

    return listed(get_command(app))


def complete(shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> None:
    """Print a script for shell completion; `source` it in the shell's start-up file."""
    if shell not in SHELLS:
        raise BadOption(f"SHELL: {shell!r} is not one of {', '.join(SHELLS)}")
    typer.echo(SHELLS[shell](list(whole())), nl=False)


def write_manual(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder, such as share/man/man1.")],
) -> None:
    """Write a manual page for each command, such as clerestory.1, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = list(whole())
    for one in pages:
        (folder / f"{'-'.join(one.words)}.1").write_text("".join(page(one)), "utf-8")
    typer.echo(f"{len(pages)} pages in {folder}")


# -- shells ----------------------------------------------------------------------------------------


def bash(pages: Iterable[Listed]) -> str:
    """Return a script for bash."""
    every = list(pages)
    paths = "|".join(f'"{" ".join(one.words)}"' for one in every if len(one.words) > 1)
    cases = "\n".join(f'    "{" ".join(one.words)}") known="{" ".join(after(one))}" ;;' for one in every)
    return BASH.format(program=PROGRAM, paths=paths, cases=cases)


def zsh(pages: Iterable[Listed]) -> str:
    """Return a script for zsh, which can read that for bash."""
    return ZSH + bash(pages)


def fish(pages: Iterable[Listed]) -> str:
    """Return a script for fish."""
    return "".join(line for one in pages for line in fish_lines(one))


def fish_lines(one: Listed) -> Iterator[str]:
    """Yield the lines of fish that complete the words after a command."""
    below = " ".join(one.parts)
    seen = [f"__fish_seen_subcommand_from {word}" for word in one.words[1:]]
    if below:
        seen.append(f"not __fish_seen_subcommand_from {below}")
    head = f"complete -c {PROGRAM} -n '{'; and '.join(seen)}'"
    yield from (f"{head} -a {name} -d {quoted(summary)}\n" for name, summary in one.parts.items())
    for option in one.options:
        names = "".join(f" -l {name[2:]}" for name in option.opts if name.startswith("--"))
        yield f"{head}{names}{'' if option.is_flag else ' -r'} -d {quoted(option.help or '')}\n"


def after(one: Listed) -> list[str]:
    """Return what may come after a command: parts and options."""
    return [*one.parts, *(name for option in one.options for name in (*option.opts, *option.secondary_opts))]


def quoted(text: str) -> str:
    """Return a text in the quotes of a shell."""
    return "'" + " ".join(text.split()).replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


# -- manual pages ----------------------------------------------------------------------------------


def page(one: Listed) -> Iterator[str]:
    """Yield the parts of a manual page."""
    name = "-".join(one.words)
    yield f'.TH {roff(name.upper())} 1 "" "{PROGRAM} {__version__}"\n'
    yield f".SH NAME\n{roff(name)} \\- {roff(one.summary.split('. ')[0].rstrip('.'))}\n"
    names = [argument.metavar or argument.name.upper() for argument in one.arguments]
    given = zip(names, one.arguments, strict=True)
    rest = ["[OPTIONS]", *(name if argument.required else f"[{name}]" for name, argument in given)]
    yield f".SH SYNOPSIS\n.B {roff(' '.join(one.words))}\n{roff(' '.join(rest + ['COMMAND'] * bool(one.parts)))}\n"
    yield f".SH DESCRIPTION\n{roff(one.summary)}\n"
    rows = [(name, argument.help or "") for name, argument in zip(names, one.arguments, strict=True)]
    yield from terms("ARGUMENTS", rows)
    yield from terms("OPTIONS", [(spelled(option), option_help(option)) for option in one.options])
    yield from terms("COMMANDS", list(one.parts.items()))


def terms(heading: str, rows: list[tuple[str, str]]) -> Iterator[str]:
    """Yield a section with a term and a text in each row, nothing without rows."""
    if rows:
        yield f".SH {heading}\n"
    yield from (f".TP\n.B {roff(term)}\n{roff(text)}\n" for term, text in rows)


def spelled(option: Any) -> str:
    """Return the names of an option, with what it takes."""
    names = ", ".join((*option.opts, *option.secondary_opts))
    return names if option.is_flag else f"{names} {option.metavar or 'VALUE'}"


def option_help(option: Any) -> str:
    """Return the help of an option, and where else it can be set."""
    where = f" In the environment: {option.envvar}." if getattr(option, "envvar", None) else ""
    return f"{option.help or ''}{where}"


def roff(text: str) -> str:
    """Return a text as roff has it: no line of it is a request."""
    plain = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
