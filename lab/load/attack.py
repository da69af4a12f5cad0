"""What an honest caller notices while many addresses attack: `python -m lab.load.attack --addresses 200`.

Each address has a connection that keeps as many calls open as it may, and makes another as soon as one has ended. An
honest caller asks for a game, for moves, and for the health of the server: at the main port, and at `--admin`. Printed is
how these calls ended, what they took in milliseconds, and the server's memory; `idle` is the health of a server that does
nothing on the same machine. `--fresh` makes each honest call of a library without retries, else the client's own retries
count as one call.
"""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import grpc
import psutil
import typer

from clerestory.clients.connection import service_config
from clerestory.v1 import games_pb2 as games
from clerestory.v1.games_pb2_grpc import GameServiceStub
from clerestory.v1.rules_pb2 import ListGamesRequest
from lab.load.connections import Crowd, crowd_apart
from lab.load.corpus import move_question, positions
from lab.load.openloop import MOVE
from lab.load.options import DEFAULT_GAME
from lab.load.probes import OPTIONS, PATIENCE, Probe, health, resumed, run_all, sampled
from lab.load.server import ServerProcess, free_port, own_server
