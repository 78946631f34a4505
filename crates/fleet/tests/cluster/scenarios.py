"""The failures of a cluster. Each scenario is a function of the running world; it returns its bounds:
name, whether it holds, and what was seen."""
import json, signal, subprocess, time

import processes
from nats_client import api, stream_leader
from processes import BUCKET, LEASE, LOG

TAKEOVER = LEASE + 2  # seconds from a kill to the first tick of the next owner
IN_FLIGHT = 2.5  # seconds in which requests of a published batch may still arrive
ELECTION = 12  # seconds until the servers have a new leader and the owner ticks again
HORIZON = 15  # seconds, where a horizon must pass


def takeover(world, fault, epoch, bound=TAKEOVER):
    """Waits for the first tick of a newer epoch after the time `fault`."""
    first = world.fleet.wait("another engine takes over", lambda: world.watcher.first_beat(epoch), 30)
    first += 10 if world.inject == "slow" else 0
    world.without_owner = max(world.without_owner, first - fault)
    return "takeover", first - fault <= bound, f"first tick {first - fault:.2f} s after the fault, bound {bound} s"


def resumed(world, fault, bound):
    """Waits until the city ticks after a fault of the servers, whoever owns it."""
    world.fleet.wait("the city ticks again", lambda: len(world.watcher.beats_after(fault + 1)) >= 3, 60)
    silence = world.watcher.longest_silence(fault, world.watcher.beats_after(fault + 1)[-1][0])
    world.without_owner = max(world.without_owner, silence)
    return "ticks again", silence <= bound, f"longest silence {silence:.2f} s, bound {bound} s"


def no_stale(world):
    """No sign of life and no result of an owner arrives after the first tick of the next owner."""
    if world.inject == "stale":
        world.watcher.beats.append((time.monotonic(), 0))
    count = world.watcher.stale()
    return "one owner", count == 0, f"{count} messages of an owner after the first tick of the next one"


def kill_owner(world):
    """kill -9 of the owning engine, twice."""
    bounds = []
    for _ in range(2):
        owner, epoch = world.fleet.owner(), world.watcher.epoch()
        fault = time.monotonic()
        owner.kill()
        bounds.append(takeover(world, fault, epoch))
        owner.start()
        world.load(8)
    return bounds + [no_stale(world)]


def lost_log(world):
    """Control: all engines and frontends die, and the log and the bucket are deleted. Nothing remembers, and
    `after_start = new` lets users in as new ones. The attack must find sets below k."""
    fault, members = time.monotonic(), [*world.fleet.engines, *world.fleet.frontends]
    for process in members:
        process.kill()
    deleted = [api(world.fleet.ports(), f"STREAM.DELETE.{stream}") for stream in (LOG, BUCKET)]
    for process in members:
        process.start()
    bound = resumed(world, fault, 30)
    world.fleet.wait_ready()
    world.load(15)
    return [bound, ("log deleted", all(reply.get("success") for reply in deleted), json.dumps(deleted)[:160])]


def deleted_log(world):
    """The owner dies and the log is deleted, but frontends, engines and the bucket remember that there was
    one. `history` is refused for one horizon, also under `after_start = new`."""
    owner, epoch, fault = world.fleet.owner(), world.watcher.epoch(), time.monotonic()
    owner.kill()
    deleted = api(world.fleet.ports(), f"STREAM.DELETE.{LOG}")
    bounds = [takeover(world, fault, epoch), ("log deleted", deleted.get("success") is True, "by the JetStream API")]
    first = world.watcher.first_beat(epoch)
    world.load(HORIZON + 12)
    return bounds + unknown_past(world, fault, first) + [no_stale(world)]


def unknown_past(world, fault, first):
    """For one horizon after the first tick `first` every query is refused, then all is well."""
    reasons = world.reasons_between(fault, time.monotonic())
    refused = sum(count for reason, count in reasons.items() if "start" in reason or "history" in reason)
    early = [at for at in world.answers() if first + 0.5 < at < first + HORIZON - 1]
    recovered = [at for at in world.answers() if at > first + HORIZON]
    return [("history unknown", refused > 0 and not early, f"refused {reasons}, {len(early)} answered within a horizon"),
            ("recovers", len(recovered) > 10, f"{len(recovered)} answered afterwards")]


def kill_frontend(world):
    """kill -9 of a frontend. Its users come back to the other one with their tickets."""
    frontend, fault = world.fleet.frontends[0], time.monotonic()
    frontend.kill()
    world.load(10)
    frontend.start()
    world.fleet.wait_ready()
    world.load(6)
    return [resumed(world, fault, 3.5), no_stale(world)]


def kill_server(world, is_leader):
    """kill -9 of a NATS server: the leader of the log's stream, or a follower."""
    leader, bucket = (stream_leader(world.fleet.ports(), stream) for stream in (LOG, BUCKET))
    server = next(server for server in world.fleet.servers if (server.name == leader) == is_leader)
    fault = time.monotonic()
    server.kill()
    bound = resumed(world, fault, ELECTION)
    world.load(8)
    server.start()
    world.load(8)
    return [("leader known", leader is not None, f"{leader} led the log, {bucket} the leases; killed {server.name}"), bound, no_stale(world)]


def kill_follower(world):
    """kill -9 of a NATS server that follows in the log's stream."""
    return kill_server(world, is_leader=False)


def kill_leader(world):
    """kill -9 of the NATS server that leads the log's stream."""
    return kill_server(world, is_leader=True)


def kill_servers(world):
    """kill -9 of all NATS servers: everything refuses, nothing is published; after the restart `history`
    is unknown for one horizon, then all is well, without any help."""
    fault = time.monotonic()
    for server in world.fleet.servers:
        server.kill()
    world.load(12)
    restart = time.monotonic()
    for server in world.fleet.servers:
        server.start()
    silent = [request for request in world.requests() if fault + IN_FLIGHT < request["at"] < restart]
    late = world.ended_between(fault + 5, restart)
    answered = late.pop("answered", 0)
    bounds = [("nothing published", not silent, f"{len(silent)} requests while no server ran"),
              ("everything refuses", answered == 0 and bool(late), f"from 5 s after the fault: {late}, {answered} answered")]
    bounds.append(resumed(world, restart, 30))
    first = world.watcher.beats_after(restart)[0][0]
    world.load(HORIZON + 12)
    world.without_owner = first - fault
    return bounds + unknown_past(world, restart, first) + [no_stale(world)]


def zombie(world):
    """SIGSTOP of the owner for longer than its lease, then SIGCONT: it publishes nothing more."""
    owner, epoch, fault = world.fleet.owner(), world.watcher.epoch(), time.monotonic()
    before = owner.metrics()
    owner.send(signal.SIGSTOP)
    bound = takeover(world, fault, epoch)
    world.load(3)
    owner.send(signal.SIGCONT)
    world.load(10)
    after = owner.metrics()
    ticks = [metrics.get('meshcloak_engine_ticks_total{city="city"}', 0) for metrics in (before, after)]
    refused = after.get("meshcloak_engine_refused_appends_total", -1)
    published = sum(at > fault + 1 for at, other in world.watcher.parts if other == epoch)
    return [bound, no_stale(world),
            ("zombie silent", published == 0 and ticks[1] <= ticks[0] + 1,
             f"{published} results of its epoch after the stop, {ticks[1] - ticks[0]:.0f} ticks, "
             f"{refused:.0f} refused appends"),
            ("lives as a spare", world.fleet.owner() is not None and not has_epoch(after), "the zombie owns nothing")]


def has_epoch(metrics):
    return any("engine_epoch" in name for name in metrics)


def partition(world):
    """The owner's connections to NATS hold all bytes for longer than the lease, then deliver them."""
    fleet = world.fleet
    if fleet.owner().name != "e0":  # the engine behind the proxies
        urls = ",".join(f"nats://127.0.0.1:{port}" for port in fleet.ports())
        subprocess.run([fleet.program, "cluster", "move", "city", "e0", "--cluster", urls], check=True,
                       capture_output=True)
        fleet.wait("e0 owns the city", lambda: fleet.owner() and fleet.owner().name == "e0", 30)
    world.load(4)
    epoch, fault = world.watcher.epoch(), time.monotonic()
    for proxy in world.proxies:
        proxy.hold()
    bound = takeover(world, fault, epoch)
    world.load(4)
    released = time.monotonic()
    for proxy in world.proxies:
        proxy.release()
    world.load(10)
    late = sum(at > released for at, other in world.watcher.parts if other == epoch)
    refused = fleet.engines[0].metrics().get("meshcloak_engine_refused_appends_total", -1)
    in_reign = sum(fault + LEASE < at for at, other in world.watcher.beats if other == epoch)
    return [bound, ("silent after its lease", late == 0 and in_reign == 0,
                    f"{late} results and {in_reign} beats of its epoch arrived, {refused:.0f} refused appends")]


def clock_skew(world):
    """Engines whose wall clocks differ by 5 s take over from each other, in both directions."""
    bounds, names = [], []
    for _ in range(2):
        owner, epoch = world.fleet.owner(), world.watcher.epoch()
        names.append(owner.name)
        fault = time.monotonic()
        owner.kill()
        bounds.append(takeover(world, fault, epoch))
        world.load(4)
        owner.start()
        world.load(6)
    faster = sum(query.reason == "faster-than-declared" for query in world.queries())
    return bounds + [("both directions", names[0] != names[1], f"owners {names}; {faster} refused as faster than declared"),
                     no_stale(world)]


ALL = {"owner": kill_owner, "lost-log": lost_log, "deleted-log": deleted_log,
       "frontend": kill_frontend, "follower": kill_follower,
       "leader": kill_leader, "servers": kill_servers, "zombie": zombie, "partition": partition, "skew": clock_skew}


def is_possible(name):
    return name != "skew" or processes.has_faketime()
