"""TCP proxy in front of one port. While it holds, no byte passes and no connection is closed: a
partition. Held bytes are delivered afterwards, as TCP does after a network has come back."""
import socket, threading


class HeldProxy:
    def __init__(self, target):
        self.target, self.passes = target, threading.Event()
        self.passes.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def hold(self):
        self.passes.clear()

    def release(self):
        self.passes.set()

    def close(self):
        self.listener.close()
        self.passes.set()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.join, args=(client,), daemon=True).start()

    def join(self, client):
        self.passes.wait()
        try:
            server = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            server.settimeout(None)
        except OSError:
            return client.close()
        for source, sink in ((client, server), (server, client)):
            threading.Thread(target=self.copy, args=(source, sink), daemon=True).start()

    def copy(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                self.passes.wait()
                sink.sendall(data)
        except OSError:
            pass
        self.passes.wait()
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
