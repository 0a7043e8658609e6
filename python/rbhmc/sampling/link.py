"""The link between a chain and the process that started it: reports one way, "stop" the other.

In the same process it is a method call. Where joblib sends the chain to another process or machine,
the link is pickled, and becomes a socket on arrival: lines of JSON, the first of them a secret.
Reports are a convenience: a worker that cannot reach the hub goes on without.
"""

import json
import multiprocessing
import signal
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Self

from rbhmc.sampling.hub import Hub

# How long a connection may take, and when it is tried again.
CONNECT_SECONDS = 5.0
RETRY_SECONDS = 10.0


class Link:
    """A chain's end, in the hub's own process."""

    def __init__(self, number: int, hub: Hub) -> None:
        self.number = number
        self._hub = hub

    def report(self, now: Mapping[str, Any]) -> bool:
        """Tell how far the chain is; False means that it is to stop."""
        self._hub.receive(self.number, now)
        return not self._hub.stopped.is_set()

    def __enter__(self) -> Self:
        self._hub.enter()
        return self

    def __exit__(self, *_: object) -> None:
        self._hub.leave()

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoteLink, (self.number, *self._hub.address())


class RemoteLink(Link):
    """A chain's end in another process; connects when the chain starts."""

    def __init__(self, number: int, hosts: list[str], port: int, secret: str) -> None:
        self.number = number
        self._address = hosts, port, secret
        self._socket: socket.socket | None = None
        self._stopped = False
        self._retry = 0.0

    def report(self, now: Mapping[str, Any]) -> bool:
        """Send how far the chain is; False once "stop" has arrived."""
        if self._socket is None and time.monotonic() >= self._retry:
            self._connect()
        if self._socket is not None:
            try:
                self._socket.sendall(json.dumps(dict(now)).encode() + b"\n")
                self._stopped = self._stopped or self._heard_stop(self._socket)
            except OSError:
                self._disconnect()
        return not self._stopped

    def __enter__(self) -> Self:
        # Ctrl-C reaches every process of a terminal, but it is the hub that says stop. It stays
        # ignored: a worker that died of it when idle would take those at work with it.
        child = multiprocessing.current_process().name != "MainProcess"
        if child and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._connect()
        return self

    def __exit__(self, *_: object) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.sendall(b'"end"\n')
            self._disconnect()

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoteLink, (self.number, *self._address)

    def _connect(self) -> None:
        hosts, port, secret = self._address
        hello = {"secret": secret, "number": self.number}
        for host in hosts:
            with suppress(OSError):
                self._socket = socket.create_connection((host, port), timeout=CONNECT_SECONDS)
                self._socket.sendall(json.dumps(hello).encode() + b"\n")
                answer = self._socket.recv(1)
                if answer in (b"+", b"-"):
                    self._stopped = answer == b"-"
                    return
            self._disconnect()

    def _heard_stop(self, connection: socket.socket) -> bool:
        connection.setblocking(False)
        try:
            # An end that was closed reads as empty: nobody waits for the chain any more.
            return connection.recv(16) in (b"stop", b"")
        except BlockingIOError:
            return False
        finally:
            connection.settimeout(CONNECT_SECONDS)

    def _disconnect(self) -> None:
        self._retry = time.monotonic() + RETRY_SECONDS
        if self._socket is not None:
            self._socket.close()
            self._socket = None
