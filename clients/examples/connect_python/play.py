r"""Plays a game against a bot by the Connect protocol, with connectrpc and just the .proto files.

pip install connectrpc protoc-gen-connectrpc protoc-gen-py grpcio-tools
python -m grpc_tools.protoc -Iproto -Iproto/third_party --py_out=GENERATED --connectrpc_out=GENERATED \
    proto/clerestory/v1/*.proto
PYTHONPATH=GENERATED python play.py http://127.0.0.1:8080 [GAME]        (a server with `--web 127.0.0.1:8080`)
"""

import sys
import uuid

from protobuf.wkt import Duration

from clerestory.v1.advisor_connect import AdvisorServiceClientSync
from clerestory.v1.advisor_pb import RecommendMoveRequest
from clerestory.v1.games_connect import GameServiceClientSync
from clerestory.v1.games_pb import Bot, CreateGameRequest, PlayActionRequest, SeatKind, SeatPlan, WatchGameRequest


def main(url: str, game: str = "duel") -> None:
    """Play what the advisor recommends until the game is over."""
    with GameServiceClientSync(url) as games, AdvisorServiceClientSync(url) as advisor:
        seats = [SeatPlan(kind=SeatKind.PERSON), SeatPlan(kind=SeatKind.BOT, bot=Bot(level=1))]
        made = games.create_game(CreateGameRequest(game=game, seats=seats, request_id=str(uuid.uuid4())))
        game_id, tokens = made.game.game_id, [seat.token for seat in made.seat_tokens]
        for seen in games.watch_game(WatchGameRequest(game_id=game_id, tokens=tokens)):
            if seen.game and seen.game.end:
                print("shares of the win:", *seen.game.end.outcome.win_shares)
            if not (seen.views and seen.views[0].actions):
                continue  # over, another player's turn, or a player came or left
            budget = Duration(nanos=50_000_000)
            asked = RecommendMoveRequest(position=seen.views[0].position, time_budget=budget)
            best = advisor.recommend_move(asked).best
            print(best.label)
            move = {"game_id": game_id, "tokens": tokens, "version": seen.game.version, "action": best.text}
            games.play_action(PlayActionRequest(**move))


if __name__ == "__main__":
    main(*sys.argv[1:])
