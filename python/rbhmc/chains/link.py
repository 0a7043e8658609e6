"""The link between a chain and the process that started it: reports one way, "stop" the other.

In the same process it is a method call. Where joblib sends the chain to another process or machine,
the link is pickled, and becomes a socket on arrival: lines of JSON, the first of them a secret.
Reports are a convenience: a worker that cannot reach the hub goes on without.
"""

import json
import secrets
import signal
import socket
import socketserver
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import joblib

Report = Callable[[int, Mapping[str, Any]], None]
CONNECT_SECONDS = 3.0


class Hub:
    """The end of all links in the process that started the chains.

    Parameters
    ----------
    report : callable
        Called with the number of a chain and what it reports, from any thread, one at a time.
    """

    def __init__(self, report: Report) -> None:
        self.stopped = threading.Event()
        self.aborted = False
        self.lost: list[int] = []
        self._report = report
        self._lock = threading.Lock()
        self._server: _Server | None = None

    def link(self, number: int) -> "Link":
        """Make the link of a chain."""
        return Link(number, self)

    def receive(self, number: int, now: Mapping[str, Any]) -> None:
        """Take a report."""
        with self._lock:
            self._report(number, now)

    def stop(self) -> None:
        """Ask all chains to stop after the draw that they are at."""
        self.stopped.set()
        if self._server is not None:
            self._server.stop()

    def lose(self, number: int) -> None:
        """Note that a worker went away without having finished its chain.

        One that died of the Ctrl-C that asked it to stop has nothing to give any more, and a
        cluster may wait for it without end.
        """
        self.lost.append(number)
        if self.stopped.is_set():
            signal.raise_signal(signal.SIGINT)

    def address(self) -> tuple[list[str], int, str]:
        """Return hosts, port and secret for links elsewhere; the first call opens the socket."""
        with self._lock:
            if self._server is None:
                self._server = _Server(self, _host())
        return self._server.hosts, self._server.port, self._server.secret

    def close(self) -> None:
        """Close the socket, if any."""
        if self._server is not None:
            self._server.close()


class Link:
    """A chain's end, in the hub's own process."""

    def __init__(self, number: int, hub: Hub) -> None:
        self.number = number
        self._hub = hub

    def report(self, now: Mapping[str, Any]) -> bool:
        """Tell how far the chain is; False means that it is to stop."""
        self._hub.receive(self.number, now)
        return not self._hub.stopped.is_set()

    def raise_if_aborted(self) -> None:
        """Pass on a second Ctrl-C, which a sampler at work answers by returning what it has."""
        if self._hub.aborted:
            raise KeyboardInterrupt

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoteLink, (self.number, *self._hub.address())


class RemoteLink(Link):
    """A chain's end in another process; connects when the chain starts."""

    def __init__(self, number: int, hosts: list[str], port: int, secret: str) -> None:
        self.number = number
        self._address = hosts, port, secret
        self._socket: socket.socket | None = None
        self._stopped = False

    def report(self, now: Mapping[str, Any]) -> bool:
        """Send how far the chain is; False once "stop" has arrived."""
        if self._socket is not None:
            try:
                self._socket.sendall(json.dumps(dict(now)).encode() + b"\n")
                self._stopped = self._stopped or self._heard_stop(self._socket)
            except OSError:
                self._disconnect()
        return not self._stopped

    def raise_if_aborted(self) -> None:
        """Nothing to do: the hub's process ends its workers."""

    def __enter__(self) -> Self:
        # Ctrl-C reaches every process of a terminal; here it is the hub that says stop.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        hosts, port, secret = self._address
        for host in hosts:
            try:
                self._socket = socket.create_connection((host, port), timeout=CONNECT_SECONDS)
                hello = {"secret": secret, "number": self.number}
                self._socket.sendall(json.dumps(hello).encode() + b"\n")
                answer = self._socket.recv(1)
                if answer in (b"+", b"-"):
                    self._stopped = answer == b"-"
                    break
            except OSError:
                pass
            self._disconnect()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.sendall(b'"end"\n')
            self._disconnect()

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoteLink, (self.number, *self._address)

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
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class _Server:
    """Listens for links of other processes, each served by a thread."""

    def __init__(self, hub: Hub, host: str) -> None:
        self.secret = secrets.token_hex(32)
        self.hosts = ["127.0.0.1"] if host else ["127.0.0.1", socket.gethostname()]
        self._connections: set[socket.socket] = set()
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                hello = json.loads(self.rfile.readline(1024))
                if not secrets.compare_digest(str(hello["secret"]), server.secret):
                    return
                number, ended = int(hello["number"]), False
                server._connections.add(self.request)
                try:
                    self.request.sendall(b"-" if hub.stopped.is_set() else b"+")
                    for line in self.rfile:
                        message = json.loads(line)
                        ended = message == "end"
                        if not ended:
                            hub.receive(number, message)
                except OSError:
                    pass
                finally:
                    server._connections.discard(self.request)
                    if not ended:
                        hub.lose(number)

        self._tcp = _ThreadingServer((host, 0), Handler)
        self.port = int(self._tcp.server_address[1])
        threading.Thread(target=self._tcp.serve_forever, args=(0.1,), daemon=True).start()

    def stop(self) -> None:
        for connection in list(self._connections):
            with suppress(OSError):
                connection.sendall(b"stop")

    def close(self) -> None:
        self._tcp.shutdown()
        self._tcp.server_close()


class _ThreadingServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave it: a stranger that speaks something else is none of the user's business."""


def _host() -> str:
    """Only this machine can reach the socket, unless the backend sends work to others."""
    backend, _ = joblib.parallel.get_active_backend()
    on_this_machine = type(backend).__module__ == "joblib._parallel_backends"
    return "127.0.0.1" if on_this_machine else ""
