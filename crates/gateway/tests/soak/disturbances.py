"""What happens to the gateway in the hostile phase: modes of the service, reloads, revocations, kills."""
import http.client, json, socket, threading, time

# Share of a cycle in each mode; the service is as it should be in the first two.
MODES = [("ok", 0.50), ("slow", 0.15), ("lying", 0.10), ("huge", 0.10), ("dead", 0.08), ("stalled", 0.07)]
GOOD = ("ok", "slow")
MAX_CYCLE = 60
KILLS = (0.12, 0.24)  # shares of the phase; the rest of it is one process, whose memory is compared
REVOCATION_SECONDS = 10  # within which a revoked key must have ended


class Disturbances:
    """Runs the hostile phase and records when the service was bad, and which revocations failed."""

    def __init__(self, gateway, service_port, report_progress):
        self.gateway, self.service_port, self.progress = gateway, service_port, report_progress
        self.bad, self.revocations, self.failed_revocations, self.reloads = [], 0, [], 0

    def run(self, seconds):
        began, finished = time.monotonic(), threading.Event()
        operator = threading.Thread(target=self.operate, args=(finished,), daemon=True)
        operator.start()
        kills = [began + share * seconds for share in KILLS]
        cycle, mode = min(seconds, MAX_CYCLE), "ok"
        while (now := time.monotonic()) < began + seconds:
            wanted = mode_at((now - began) % cycle / cycle)
            if wanted != mode:
                mode = self.set_mode(wanted)
            if kills and now >= kills[0]:
                kills.pop(0)
                self.progress("kill -9 and restart")
                self.gateway.kill()
            time.sleep(0.1)
        self.set_mode("ok")
        finished.set()
        operator.join(60)

    def set_mode(self, mode):
        self.progress(f"service: {mode}")
        now = time.monotonic()
        if self.bad and self.bad[-1][1] is None:
            self.bad[-1] = (self.bad[-1][0], now)
        if mode not in GOOD:
            self.bad.append((now, None))
        connection = http.client.HTTPConnection("127.0.0.1", self.service_port, timeout=30)
        connection.request("PUT", "/" + mode)
        connection.getresponse().read()
        connection.close()
        return mode

    def operate(self, finished):
        """Reloads and revokes until the phase ends."""
        while not finished.wait(3):
            self.gateway.reload()
            self.reloads += 1
            generation = self.gateway.generation
            try:
                failure = self.revoke_one()
            except OSError as error:
                failure = f"connection: {error}"
            with self.gateway.lock:  # a restart is over
                restarted = generation != self.gateway.generation
            if failure and not restarted:
                self.failed_revocations.append(failure)
                self.progress(f"revocation failed: {failure}")
            self.revocations += failure is None

    def revoke_one(self):
        """Adds a key, opens a stream with it and revokes it. Returns what did not hold."""
        key, key_id = self.gateway.add_key("soak-revoked")
        self.gateway.reload()
        if not wait_for(lambda: self.status(key) not in (0, 401)):
            return "a new key is not accepted after a reload"
        stream = socket.create_connection(("127.0.0.1", self.gateway.client_port), timeout=REVOCATION_SECONDS)
        stream.sendall(f"POST /v1/queries/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
                       "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        time.sleep(0.3)
        self.gateway.keys("revoke", key_id)
        self.gateway.reload()
        if not wait_for(lambda: self.status(key) == 401):
            return "a revoked key is still accepted"
        with stream:
            received = b""
            while b'"revoked"' not in received:
                try:
                    data = stream.recv(4096)
                except TimeoutError:
                    return "the stream of a revoked key is still open"
                if not data:
                    return None if b" 401 " in received else f"the stream ended without `revoked`: {received[:80]}"
                received += data
        return None

    def status(self, key):
        connection = http.client.HTTPConnection("127.0.0.1", self.gateway.client_port, timeout=5)
        try:
            connection.request("POST", "/v1/queries", json.dumps({}), {
                "Authorization": f"Bearer {key}", "Content-Type": "application/json"})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()


def mode_at(share):
    for mode, length in MODES:
        share -= length
        if share < 0:
            return mode
    return "ok"


def wait_for(condition):
    end = time.monotonic() + REVOCATION_SECONDS
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False
