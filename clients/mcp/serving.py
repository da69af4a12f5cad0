"""Runs the MCP server over standard input and output, or over HTTP on this machine."""

import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer

from clerestory.clients import AsyncAdvisor
from clerestory.mcp.tools import mcp_server

PATH = "/mcp"


async def serve_stdio(advisor: AsyncAdvisor) -> None:
    """Serve the client that started this process, until it closes standard input."""
    async with advisor:
        await mcp_server(advisor).run_stdio_async()


async def serve_http(advisor: AsyncAdvisor, listening: socket.socket, announce: Callable[[str], None]) -> None:
    """Serve clients over HTTP until a signal comes.

    Args:
        advisor: client of the server that hosts and searches.
        listening: bound to an address of this machine; the library checks that requests name this machine as host.
        announce: called with the URL once it is served.
    """
    host, port = listening.getsockname()[:2]
    async with advisor:
        server = uvicorn.Server(uvicorn.Config(app(mcp_server(advisor), host), log_level="warning"))
        announce(f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}")
        await server.serve(sockets=[listening])


def app(server: MCPServer[Any], host: str) -> Any:
    """Return the ASGI app of a server. Requests need no session: a handle has all that a call needs."""
    return server.streamable_http_app(streamable_http_path=PATH, stateless_http=True, host=host)
