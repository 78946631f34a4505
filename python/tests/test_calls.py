"""Long calls: interrupts, the interpreter lock, progress, equal results."""

import _thread
import contextlib
import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import meshcloak as mc

ROOT = Path(__file__).resolve().parents[2]


class Endless:
    """A stream of queries without an end, which interrupts the main thread after a few batches."""

    def __init__(self, people):
        self.batch = pa.table(people).combine_chunks().to_batches()[0]
        self.read = 0
        #: Set when the reader has dropped the stream.
        self.dropped = threading.Event()

    def __arrow_c_stream__(self, requested_schema=None):
        reader = pa.RecordBatchReader.from_batches(self.batch.schema, self.batches())
        return reader.__arrow_c_stream__(requested_schema)

    def later(self, seconds):
        """The batch with later times, so that all rows are in order."""
        if "t" not in self.batch.schema.names:
            return self.batch
        column = self.batch.schema.names.index("t")
        return self.batch.set_column(column, "t", pc.add(self.batch["t"], seconds))

    def batches(self):
        try:
            while True:
                self.read += 1
                if self.read == 3:
                    _thread.interrupt_main()
                yield self.later(1_000.0 * self.read)
        finally:
            self.dropped.set()


@pytest.fixture
def interruptible():
    """A process that a shell has started in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "call",
    [
        lambda city, endless, _: city.cloak(endless),
        lambda city, endless, _: city.cloak(endless, scheme="casper"),
        lambda city, endless, outcomes: city.score(endless, outcomes),
        lambda city, endless, outcomes: city.attack(endless, outcomes, ["known-point"]),
        lambda city, endless, _: city.attack(endless, "meshcloak/history", ["known-point"]),
        lambda city, endless, outcomes: city.draw(outcomes, 0, queries=endless),
    ],
)
def test_ctrl_c_ends_a_call_that_would_never_end(city, people, outcomes, interruptible, call):
    endless = Endless(people)
    with pytest.raises(KeyboardInterrupt):
        call(city, endless, outcomes)
    assert endless.read >= 3
    assert endless.dropped.wait(60), "the work goes on"


def test_ctrl_c_ends_the_reading_of_outcomes(city, people, outcomes, interruptible):
    for call in [city.score, lambda *tables: city.attack(*tables, ["known-point"])]:
        endless = Endless(outcomes)
        # Outcomes that occur again are an error; batches without rows are not.
        endless.batch = endless.batch.slice(0, 0)
        with pytest.raises(KeyboardInterrupt):
            call(people, endless)
        assert endless.dropped.wait(60), "the work goes on"


@pytest.mark.parametrize("call", ["evaluate", "attack", "cloak"])
def test_ctrl_c_ends_a_run_at_the_next_batch(city, people, interruptible, call):
    calls, threads, raised = [], set(), threading.Event()

    class Slow(mc.Scheme):
        name, regions = "slow", "fixed"

        def cloak(self, state, now):
            calls.append(now)
            threads.add(threading.get_native_id())
            if len(calls) == 3:
                _thread.interrupt_main()
                raised.wait(60)
            return []

    with pytest.raises(KeyboardInterrupt):
        if call == "evaluate":
            city.evaluate([Slow(), "casper"], users=300, attacks=["inversion"])
        elif call == "attack":
            city.attack(people, Slow(), ["inversion"])
        else:
            city.cloak(people, scheme=Slow())
    raised.set()
    [worker] = threads
    assert settled(lambda: not os.path.exists(f"/proc/self/task/{worker}")), "the work goes on"
    assert len(calls) == 3


def test_ctrl_c_ends_a_simulation_and_leaves_no_file(city, tmp_path, interruptible):
    forever = (ROOT / "crates/traffic/profiles/p1.toml").read_text()
    profile, folder = tmp_path / "forever.toml", tmp_path / "out"
    profile.write_text(forever.replace("queries = 11 ", "queries = 1000000 "))
    folder.mkdir()

    def interrupt():
        while not any(file.stat().st_size > 1_000_000 for file in folder.iterdir()):
            pass
        _thread.interrupt_main()

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        city.simulate(1_000, profile=str(profile), out=folder / "people.csv")
    assert settled(lambda: list(folder.iterdir()) == []), "the work goes on"


def test_ctrl_c_ends_the_reading_of_a_map(tmp_path, interruptible):
    """Comments of 45 GB, packed."""
    path = tmp_path / "endless.osm.gz"
    comments = gzip.compress(b"<!-- -->\n" * 5_000_000)
    path.write_bytes(gzip.compress(b'<osm version="0.6">') + 1_000 * comments)

    def positions():
        """Where the process reads the file."""
        for number in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/self/fd/{number}") == str(path):
                    yield int(Path(f"/proc/self/fdinfo/{number}").read_text().split()[1])

    def interrupt():
        assert settled(lambda: any(position > 300_000 for position in positions()))
        _thread.interrupt_main()

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        mc.Map.open(path)
    assert settled(lambda: not list(positions())), "the work goes on"


def settled(condition):
    """Waits until a condition holds, for at most a minute."""
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def test_another_thread_runs_during_a_call(city, people):
    """The stream waits for the other thread, which needs the interpreter lock."""
    ran = threading.Event()
    batch = pa.table(people).combine_chunks().to_batches()[0]

    def batches():
        assert ran.wait(60)
        yield batch

    reader = pa.RecordBatchReader.from_batches(batch.schema, batches())
    threading.Timer(0, ran.set).start()
    assert len(city.cloak(reader)) == len(people)


def test_calls_in_threads_give_equal_results(city, people, outcomes):
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(pa.table(city.cloak(people))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(result.equals(pa.table(outcomes)) for result in results)


@pytest.mark.parametrize(
    "stage, call",
    [
        ("cloaking", lambda city, queries, _: city.cloak(queries)),
        ("scoring", lambda city, queries, outcomes: city.score(queries, outcomes)),
    ],
)
def test_progress_is_reported_if_tqdm_is_there(city, people, outcomes, monkeypatch, stage, call):
    import tqdm.auto

    shown = []

    class Bar:
        def __init__(self, desc, total, leave):
            self.desc = desc

        def refresh(self):
            shown.append((self.desc, self.n > 0))

        def close(self):
            pass

    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    # The stream goes on until a report with rows has arrived.
    batch = pa.table(people).combine_chunks().to_batches()[0]

    def batches():
        for _ in range(100_000):
            yield batch
            if (stage, True) in shown:
                return

    # Queries that occur again are refused by `cloak` and an error of `score`.
    with contextlib.suppress(mc.Error):
        call(city, pa.RecordBatchReader.from_batches(batch.schema, batches()), outcomes)
    assert (stage, True) in shown


def test_the_package_needs_no_other_package():
    """Without site-packages only the package itself can be imported."""
    folder = os.path.dirname(os.path.dirname(mc.__file__))
    code = (
        "import sys; sys.meta_path.insert(0, type('Refuse', (), {'find_spec': staticmethod("
        "lambda name, *_: (_ for _ in ()).throw(ImportError(name)) "
        "if name.split('.')[0] in ('numpy', 'pyarrow', 'tqdm', 'pandas') else None)}));"
        "import meshcloak as mc; city = mc.Map.city(500); people = city.simulate(50);"
        "print(len(city.cloak(people)) == len(people))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env={"PYTHONPATH": folder}, check=True,
    )
    assert result.stdout == "True\n", result.stderr
