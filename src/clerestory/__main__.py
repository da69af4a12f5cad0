"""`python -m clerestory` is the command `clerestory`."""

from clerestory.clients.cli.main import main

main()
