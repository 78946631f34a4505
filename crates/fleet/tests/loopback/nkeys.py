"""NKeys of users and a NATS client that only connects, publishes and subscribes.

Keys are Ed25519 keys of `openssl`, in the text form of NATS: prefix, key, CRC-16, base 32.
"""
import base64, json, socket, ssl, subprocess

PREFIX_USER, PREFIX_SEED = 20 << 3, 18 << 3


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return crc.to_bytes(2, "little")


def text_form(data):
    return base64.b32encode(data + crc16(data)).decode().rstrip("=")


def openssl(*arguments, data=b""):
    return subprocess.run(["openssl", *map(str, arguments)], input=data, capture_output=True, check=True).stdout


class NKey:
    """A new key of a user. `seed_file` is for `cluster.nkey`."""

    def __init__(self, folder, name):
        self.pem = folder / f"{name}.pem"
        openssl("genpkey", "-algorithm", "ed25519", "-out", self.pem)
        seed = openssl("pkey", "-in", self.pem, "-outform", "DER")[-32:]
        key = openssl("pkey", "-in", self.pem, "-pubout", "-outform", "DER")[-32:]
        self.public = text_form(bytes([PREFIX_USER]) + key)
        prefix = bytes([PREFIX_SEED | PREFIX_USER >> 5, (PREFIX_USER & 31) << 3])
        self.seed_file = folder / f"{name}.nk"
        self.seed_file.write_text(text_form(prefix + seed) + "\n")

    def sign(self, text):
        nonce = self.pem.with_suffix(".nonce")
        nonce.write_bytes(text)
        signature = openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.pem, "-in", nonce)
        return base64.urlsafe_b64encode(signature).decode().rstrip("=")


class Client:
    """A connection of one user."""

    def __init__(self, port, roots, key):
        plain = socket.create_connection(("127.0.0.1", port), 10)
        info = json.loads(read_line(plain).split(b" ", 1)[1])
        context = ssl.create_default_context(cafile=str(roots))
        self.socket = context.wrap_socket(plain, server_hostname="127.0.0.1")
        self.lines = self.socket.makefile("rb")
        hello = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True,
                 "nkey": key.public, "sig": key.sign(info["nonce"].encode())}
        self.send(f"CONNECT {json.dumps(hello)}")
        refused = self.errors()
        assert not refused, refused

    def send(self, line):
        self.socket.sendall(line.encode() + b"\r\n")

    def errors(self):
        """Returns the errors that the server has sent up to now."""
        self.send("PING")
        found = []
        while (line := self.lines.readline().strip()) != b"PONG":
            assert line or found, "the server has closed the connection"
            if line.startswith(b"-ERR"):
                found.append(line.decode())
            if line.startswith(b"MSG"):
                self.lines.read(int(line.split()[-1]) + 2)
        return found

    def subscribe(self, subject):
        """Returns whether the server permits a subscription."""
        self.send(f"SUB {subject} 1")
        is_permitted = not self.errors()
        self.send("UNSUB 1")
        return is_permitted

    def publish(self, subject):
        """Returns whether the server permits a message. An empty one is ignored by all processes."""
        self.send(f"PUB {subject} 0\r\n")
        return not self.errors()


def read_line(connection):
    line = b""
    while not line.endswith(b"\r\n"):
        byte = connection.recv(1)
        assert byte, "the server has closed the connection"
        line += byte
    return line
