"""Game ids can be typed as the argument of a command."""

from clerestory.server.games.viewer import GAME_ID, TokenIssuer


def test_no_id_is_taken_for_an_option() -> None:
    made = [TokenIssuer(b"secret", f"request {number}").game_id() for number in range(1000)]
    assert len(set(made)) == 1000
    assert all(GAME_ID.fullmatch(one) and not one.startswith("-") for one in made)
