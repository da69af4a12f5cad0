"""A hosted game in which one seat alone has been shown a card."""

from clerestory.clients import GameSnapshot, HostedGame


def play_until_shown(game: HostedGame) -> GameSnapshot:
    """Play the board game until Ellen is taken, and a seat has been shown a coming card."""
    seen = game.look()
    while not seen.private_outcomes:
        texts = [one.text for one in seen.legal]
        wanted = [text for text in texts if text == "advantage ellen" or "kingsbridge" in text]
        seen = game.play((wanted or texts[-1:])[0])
    return seen
