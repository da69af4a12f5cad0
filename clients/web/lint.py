"""Checks the page, the package it is built on and the engine for browsers: types by tsc, style by biome.

python clients/web/lint.py [--fix]
"""

import sys

from build import CLIENT, HERE, install, run, write_messages, write_texts

ENGINE = HERE.parent / "browser"
BIOME = "lint/node_modules/.bin/biome"


def main() -> None:
    """Check everything; with --fix, put right what can be put right."""
    install()
    write_messages()
    write_texts()
    if not (HERE / BIOME).exists():
        run("npm", "install", "--prefix", "lint", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error")
    for folder in (HERE, CLIENT, ENGINE):
        run(f"./{BIOME}", "check", *(["--write"] if "--fix" in sys.argv else []), folder=folder)
        run("./node_modules/.bin/tsc", "--noEmit", folder=folder)


if __name__ == "__main__":
    main()
