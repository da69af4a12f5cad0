"""Validates the options of new games and seats, and reports all faults at once."""

import re
from unicodedata import category

from clerestory.engine.tuning import NUM_LEVELS, character_fault
from clerestory.server.analysis.question import time_fault
from clerestory.server.games.log import BotSettings, GameOptions, Holder
from clerestory.service_errors import Faults, Reason

LONGEST_NAME = 40  # characters
MOST_DELAY = 1000  # plies
SHORTEST_MOVE, LONGEST_MOVE = 1.0, 30 * 24 * 3600.0  # seconds
JOINERS = dict.fromkeys(map(ord, "\u200c\u200d"))  # of letters and emoji; not control characters
BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and symbols that look blank
REQUEST_ID = re.compile(r"[\w.:-]{16,64}", re.ASCII)


def check_holder(holder: Holder, path: str, faults: Faults) -> None:
    """Collect the faults of a seat's holder; `path` is the prefix of the field names here and below."""
    check_name(holder.name, path, faults)
    if holder.bot is not None:
        check_bot(holder.bot, f"{path}bot.", faults)


def check_name(name: str, path: str, faults: Faults) -> None:
    """Collect a fault for a name that is too long, not printable on one line, or blank."""
    if len(name) > LONGEST_NAME or not name.translate(JOINERS).isprintable():
        text = f"must be {LONGEST_NAME} characters at most, without line ends or other control characters"
        faults.add(Reason.BAD_OPTIONS, f"{path}name", text)
    elif name and not any(map(is_visible, name)):
        faults.add(Reason.BAD_OPTIONS, f"{path}name", "looks blank; must have a visible character")


def is_visible(character: str) -> bool:
    """Return whether a character is a letter, number, punctuation mark or symbol that does not look blank."""
    return category(character)[0] in "LNPS" and character not in BLANK


def check_bot(bot: BotSettings, path: str, faults: Faults) -> None:
    """Collect the faults of a bot's settings."""
    if bot.level is not None and not 1 <= bot.level <= NUM_LEVELS:
        faults.add(Reason.BAD_LEVEL, f"{path}level", f"is {bot.level}; must be 1 to {NUM_LEVELS}")
    if text := character_fault(bot.character, bot.level):
        faults.add(Reason.BAD_CHARACTER, f"{path}character", text)
    if text := time_fault(bot.seconds):
        faults.add(Reason.BAD_TIME_BUDGET, f"{path}seconds", text)


def check_options(options: GameOptions, faults: Faults) -> None:
    """Collect the faults of a game's options."""
    if options.delay_plies > MOST_DELAY:
        text = f"is {options.delay_plies}; must be {MOST_DELAY} at most"
        faults.add(Reason.BAD_OPTIONS, "options.delay_plies", text)
    seconds = options.seconds_per_move
    if seconds is not None and (text := time_fault(seconds, SHORTEST_MOVE, LONGEST_MOVE)):
        faults.add(Reason.BAD_OPTIONS, "options.seconds_per_move", text)
    check_bot(options.play_on, "options.play_on.", faults)


def check_request(request_id: str, faults: Faults) -> None:
    """Collect a fault for an invalid request name."""
    if request_id and not REQUEST_ID.fullmatch(request_id):
        faults.add(Reason.BAD_OPTIONS, "request_id", "must be 16 to 64 letters, digits and `_.:-`, or empty")
