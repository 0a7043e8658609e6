"""The hub: the end of all links in the process that started the chains."""

import json
import secrets
import signal
import socket
import socketserver
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import joblib

Report = Callable[[int, Mapping[str, Any]], None]
# How long chains in this process may take to end after an error.
FAREWELL_SECONDS = 10.0


class Hub:
    """Takes the reports of all chains, and tells them to stop.

    Parameters
    ----------
    report : callable
        Called with the number of a chain and what it reports, from any thread, one at a time.
    """

    def __init__(self, report: Report) -> None:
        self.stopped = threading.Event()
        self.closed = False
        self.lost: list[int] = []
        self._report = report
        self._lock = threading.Lock()
        self._server: _Server | None = None
        self._n_here = 0
        self._changed = threading.Condition()
        # joblib knows its backend in the thread that chose it only, so that it is asked now.
        self._host = _host()

    def receive(self, number: int, now: Mapping[str, Any]) -> None:
        """Take a report."""
        with self._lock:
            if not self.closed:
                self._report(number, now)

    def enter(self) -> None:
        """Note that a chain starts in this process."""
        with self._changed:
            self._n_here += 1

    def leave(self) -> None:
        """Note that a chain in this process has ended."""
        with self._changed:
            self._n_here -= 1
            self._changed.notify_all()

    def stop(self) -> None:
        """Ask all chains to stop after the draw that they are at."""
        self.stopped.set()
        if self._server is not None:
            self._server.stop()

    def find(self, number: int) -> None:
        """Note that a worker is there."""
        with suppress(ValueError):
            self.lost.remove(number)

    def lose(self, number: int) -> None:
        """Note that a worker went away without having finished its chain.

        One that died of the Ctrl-C that asked it to stop has nothing to give any more, and a
        cluster may wait for it without end.
        """
        if self.closed:
            return
        self.lost.append(number)
        if self.stopped.is_set():
            signal.raise_signal(signal.SIGINT)

    def address(self) -> tuple[list[str], int, str]:
        """Return hosts, port and secret for links elsewhere; the first call opens the socket."""
        with self._lock:
            if self._server is None:
                self._server = _Server(self, self._host)
        return self._server.hosts, self._server.port, self._server.secret

    def close(self) -> None:
        """End all links; chains that still run stop, and those of this process are waited for."""
        self.closed = True
        self.stopped.set()
        if self._server is not None:
            self._server.close()
        with self._changed:
            self._changed.wait_for(lambda: self._n_here == 0, FAREWELL_SECONDS)


class _Server:
    """Listens for links of other processes, each served by a thread."""

    def __init__(self, hub: Hub, host: str) -> None:
        self.secret = secrets.token_hex(32)
        self.hosts = ["127.0.0.1"] if host else ["127.0.0.1", socket.gethostname()]
        self._hub = hub
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                hello = json.loads(self.rfile.readline(1024))
                if secrets.compare_digest(str(hello["secret"]), server.secret):
                    server.serve(self, int(hello["number"]))

        self._tcp = _ThreadingServer((host, 0), Handler)
        self.port = int(self._tcp.server_address[1])
        threading.Thread(target=self._tcp.serve_forever, args=(0.1,), daemon=True).start()

    def serve(self, handler: socketserver.StreamRequestHandler, number: int) -> None:
        connection: socket.socket = handler.request
        ended = False
        try:
            with self._lock:
                # Whoever comes too late for "stop" hears it in the answer.
                connection.sendall(b"-" if self._hub.stopped.is_set() else b"+")
                self._connections.add(connection)
            self._hub.find(number)
            for line in handler.rfile:
                message = json.loads(line)
                ended = message == "end"
                if not ended:
                    self._hub.receive(number, message)
        except OSError:
            pass
        finally:
            with self._lock:
                self._connections.discard(connection)
            if not ended:
                self._hub.lose(number)

    def stop(self) -> None:
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.sendall(b"stop")

    def close(self) -> None:
        self._tcp.shutdown()
        self._tcp.server_close()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


class _ThreadingServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave it: a stranger that speaks something else is none of the user's business."""


def _host() -> str:
    """Only this machine can reach the socket, unless the backend sends work to others."""
    backend, _ = joblib.parallel.get_active_backend()
    on_this_machine = type(backend).__module__ == "joblib._parallel_backends"
    return "127.0.0.1" if on_this_machine else ""
