"""`python -m clerestory` is the command `clerestory`."""

from clerestory.cli.main import main

main()
