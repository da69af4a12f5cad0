"""Plays a game against a bot over gRPC, with grpcio-tools and just the .proto files: python play.py TARGET [GAME].

PYTHONPATH must name proto/: the messages are made from it when the program starts.
"""

import sys
import uuid

import grpc

games_pb2, games_grpc = grpc.protos_and_services("clerestory/v1/games.proto")
advisor_pb2, advisor_grpc = grpc.protos_and_services("clerestory/v1/advisor.proto")


def main(target: str, game: str = "duel") -> None:
    """Play what the advisor recommends until the game is over."""
    with grpc.insecure_channel(target) as channel:
        games, advisor = games_grpc.GameServiceStub(channel), advisor_grpc.AdvisorServiceStub(channel)
        seats = [{"kind": "SEAT_KIND_PERSON"}, {"kind": "SEAT_KIND_BOT", "bot": {"level": 1}}]
        asked = games_pb2.CreateGameRequest(game=game, seats=seats, request_id=str(uuid.uuid4()))
        made = games.CreateGame(asked)
        mine = {"game_id": made.game.game_id, "tokens": [seat.token for seat in made.seat_tokens]}
        for seen in games.WatchGame(games_pb2.WatchGameRequest(**mine)):
            if seen.game.HasField("end"):
                print("shares of the win:", *seen.game.end.outcome.win_shares)
            if not (seen.views and seen.views[0].actions):
                continue  # over, another player's turn, or a player came or left
            question = advisor_pb2.RecommendMoveRequest(position=seen.views[0].position)
            question.time_budget.FromMilliseconds(50)
            best = advisor.RecommendMove(question).best
            print(best.label)
            games.PlayAction(games_pb2.PlayActionRequest(**mine, version=seen.game.version, action=best.text))


if __name__ == "__main__":
    main(*sys.argv[1:])
