"""Servers for measurements: a port that one of them gets nobody else has."""

import socket

import pytest

from lab.load.server import free_port


def test_a_free_port_is_left_to_whoever_names_it() -> None:
    """Another program that asks for any port does not get it meanwhile, and a server can end and come back on it."""
    port = free_port()
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
    for _ in range(2):
        with socket.create_server(("127.0.0.1", port)), socket.create_connection(("127.0.0.1", port)) as caller:
            assert caller.getpeername()[1] == port
