"""The command line of a tool that has two commands."""

import argparse
from argparse import ArgumentParser


def two_commands(text: str | None, one: str, other: str) -> tuple[ArgumentParser, ArgumentParser, ArgumentParser]:
    """Return the parser of a tool, and those of its two commands; which was given is `command` of what it parses."""
    parser = ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    return parser, commands.add_parser(one), commands.add_parser(other)
