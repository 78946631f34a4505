"""Listens to all NATS servers: signs of life of owners, and results on their way to frontends.

Both are in the binary form of crates/fleet/src/message: a version byte, then postcard (integers
as LEB128, text with its length). Only the beginning is read: city, shard and epoch.
"""
import re, threading, time
from pathlib import Path
from nats_client import NatsClient

MESSAGES = Path(__file__).resolve().parents[2] / "src/message/mod.rs"
VERSION = int(re.search(r"const VERSION: u8 = (\d+);", MESSAGES.read_text())[1])
PART = 0  # variant of `ToFrontend`


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def text(data, at):
    length, at = varint(data, at)
    return data[at:at + length].decode(), at + length


def owner_beat(data):
    """City, shard and epoch of `Beat`."""
    city, at = text(data, 1)
    shard, at = varint(data, at)
    _, at = varint(data, at)
    return city, shard, varint(data, at)[0]


def part_round(data):
    """City, shard and epoch of a `Part`; None for other messages to frontends."""
    variant, at = varint(data, 1)
    if variant != PART:
        return None
    city, at = text(data, at)
    shard, at = varint(data, at)
    return city, shard, varint(data, at)[0]


class Watcher:
    """Records (time, epoch) of beats and of parts. Every message is counted once, whichever servers
    pass it on."""

    def __init__(self, ports):
        self.beats, self.parts, self.known = [], [], set()
        self.lock, self.finished = threading.Lock(), threading.Event()
        for port in ports:
            threading.Thread(target=self.follow, args=(port,), daemon=True).start()

    def follow(self, port):
        while not self.finished.is_set():
            try:
                client = NatsClient(port, timeout=1.0)
                client.subscribe("mc.beat.engine.city.*")
                client.subscribe("mc.frontend.*")
                client.socket.settimeout(10)
                while True:
                    subject, _, payload = client.next()
                    self.note(subject, payload)
            except OSError:
                time.sleep(0.1)

    def note(self, subject, payload):
        now = time.monotonic()
        is_beat = subject.startswith("mc.beat.")
        found = owner_beat(payload) if is_beat else part_round(payload)
        with self.lock:
            if found is None or payload[0] != VERSION or (subject, payload) in self.known:
                return
            self.known.add((subject, payload))
            (self.beats if is_beat else self.parts).append((now, found[2]))

    def epoch(self):
        """Newest epoch; 0 before the first beat."""
        with self.lock:
            return max((epoch for _, epoch in self.beats), default=0)

    def first_beat(self, above):
        """Time of the first beat of an epoch above this one; None if there is none."""
        with self.lock:
            return min((at for at, epoch in self.beats if epoch > above), default=None)

    def beats_after(self, at):
        with self.lock:
            return [beat for beat in self.beats if beat[0] > at]

    def longest_silence(self, begin, end):
        """Longest time without a beat between two times."""
        with self.lock:
            times = [begin] + [at for at, _ in self.beats if begin < at < end] + [end]
        return max(after - before for before, after in zip(times, times[1:]))

    def stale(self, margin=0.0):
        """Beats and parts of an epoch that arrived after the first beat of a newer one."""
        with self.lock:
            first = {}
            for at, epoch in self.beats:
                first[epoch] = min(at, first.get(epoch, at))
            newer = lambda epoch: min((at for other, at in first.items() if other > epoch), default=float("inf"))
            return sum(at > newer(epoch) + margin for at, epoch in self.beats + self.parts)
