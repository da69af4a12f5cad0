"""Handles the calls of PuzzleService on the event loop, because they are cheap."""

from clerestory.server.rpc.service import Context
from clerestory.server.rpc.translate_puzzle import (
    known_puzzles,
    read_files,
    read_puzzle,
    read_try,
    write_list,
    write_puzzle,
    write_try,
)
from clerestory.server.rpc.translate_rules import read_game
from clerestory.v1 import puzzle_pb2 as api
from clerestory.v1.puzzle_pb2_grpc import PuzzleServiceServicer


class Puzzles(PuzzleServiceServicer):
    """The gRPC handlers of PuzzleService, which is stateless.

    The puzzles are loaded at startup, because loading them would block the event loop for too long.
    """

    def __init__(self) -> None:
        read_files()

    async def ListPuzzles(self, request: api.ListPuzzlesRequest, context: Context) -> api.ListPuzzlesResponse:
        """List the puzzles of a game. Raises ServiceError."""
        return write_list(known_puzzles(read_game(request.game)))

    async def GetPuzzle(self, request: api.GetPuzzleRequest, context: Context) -> api.GetPuzzleResponse:
        """Return a puzzle without its answer. Raises ServiceError."""
        return write_puzzle(read_puzzle(request.puzzle))

    async def TryPuzzle(self, request: api.TryPuzzleRequest, context: Context) -> api.TryPuzzleResponse:
        """Judge an action. Raises ServiceError."""
        one = read_puzzle(request.puzzle)
        return write_try(one, read_try(one, request))
