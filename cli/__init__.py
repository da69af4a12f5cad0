"""The command `clerestory`, which puts everything together."""

LANGUAGE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")  # of the environment, the first that is set counts
