"""The shared part of the scripted servers: a loopback port, a thread per connection, whole reads."""
import socketserver
import threading


class Gone(Exception):
    """The client closed the connection."""


class Handler(socketserver.BaseRequestHandler):
    def read(self, length):
        out = bytearray()
        while len(out) < length:
            part = self.request.recv(length - len(out))
            if not part:
                raise Gone
            out += part
        return bytes(out)

    def handle(self):
        try:
            self.serve()
        except (Gone, ConnectionError):
            pass
        finally:
            self.leave()


class Server(socketserver.ThreadingTCPServer):
    """Serves from construction to close(). `problems` has what a test must not ignore."""
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.problems = []
        self.sessions = 0
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def handle_error(self, request, client_address):
        import traceback
        self.problems.append(traceback.format_exc())

    @property
    def port(self):
        return self.server_address[1]

    def close(self):
        self.shutdown()
        self.server_close()
        self.thread.join()
