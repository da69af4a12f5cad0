"""Runs the command `clerestory` as `python -m clerestory`."""

from clerestory.cli.main import main

main()
