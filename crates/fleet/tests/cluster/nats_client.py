"""A NATS client over one socket: requests to the JetStream API, and subscriptions."""
import json, socket, time

CONNECT = b'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"name":"cluster-test"}\r\n'


class NatsClient:
    """One connection. Raises OSError when it is lost."""

    def __init__(self, port, timeout=3.0):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.buffer, self.last = b"", 0
        self.line()  # INFO
        self.socket.sendall(CONNECT)

    def close(self):
        self.socket.close()

    def line(self):
        while b"\r\n" not in self.buffer:
            self.receive()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise OSError("the server has closed the connection")
        self.buffer += data

    def subscribe(self, subject):
        self.last += 1
        self.socket.sendall(f"SUB {subject} {self.last}\r\n".encode())

    def next(self):
        """Returns subject, headers and payload of the next message."""
        while True:
            words = self.line().split()
            if words[:1] == [b"PING"]:
                self.socket.sendall(b"PONG\r\n")
            elif words[:1] == [b"-ERR"]:
                raise OSError(b" ".join(words).decode())
            elif words[:1] in ([b"MSG"], [b"HMSG"]):
                head, size = int(words[-2]) if words[0] == b"HMSG" else 0, int(words[-1])
                while len(self.buffer) < size + 2:
                    self.receive()
                message, self.buffer = self.buffer[:size], self.buffer[size + 2:]
                return words[1].decode(), message[:head], message[head:]

    def request(self, subject, payload=b""):
        """Returns the answer as JSON."""
        inbox = f"_INBOX.{time.monotonic_ns()}"
        self.subscribe(inbox)
        self.socket.sendall(f"PUB {subject} {inbox} {len(payload)}\r\n".encode() + payload + b"\r\n")
        while True:
            subject, head, body = self.next()
            if subject == inbox:
                if not body:
                    raise OSError(f"no answer: {head.decode(errors='replace').strip()}")
                return json.loads(body)


def api(ports, subject, payload=b""):
    """Asks the JetStream API through the first server that answers. Raises OSError if none does."""
    problem = OSError("no server")
    for port in ports:
        try:
            client = NatsClient(port)
            try:
                return client.request(f"$JS.API.{subject}", payload)
            finally:
                client.close()
        except OSError as error:
            problem = error
    raise problem


def stream_leader(ports, stream):
    """Name of the server that leads a stream; None while there is none."""
    return api(ports, f"STREAM.INFO.{stream}").get("cluster", {}).get("leader")
