"""The command `clerestory`, which puts everything together."""

from collections.abc import Mapping

LANGUAGE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")  # of the environment, the first that is set counts


def locale_around(environment: Mapping[str, str]) -> str:
    """Return the locale that an environment names, such as `de_DE.UTF-8`; "" for none."""
    return next((environment[name] for name in LANGUAGE_VARIABLES if environment.get(name)), "")
