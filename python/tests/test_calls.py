"""Long calls: interrupts, the interpreter lock, progress, equal results."""

import _thread
import os
import signal
import subprocess
import sys
import threading

import pyarrow as pa
import pytest

import meshcloak as mc


class Endless:
    """A stream of queries without an end, which interrupts the main thread after a few batches."""

    def __init__(self, people):
        self.batch = pa.table(people).combine_chunks().to_batches()[0]
        self.read = 0

    def __arrow_c_stream__(self, requested_schema=None):
        reader = pa.RecordBatchReader.from_batches(self.batch.schema, self.batches())
        return reader.__arrow_c_stream__(requested_schema)

    def batches(self):
        while True:
            self.read += 1
            if self.read == 3:
                _thread.interrupt_main()
            yield self.batch


def test_ctrl_c_ends_a_call_that_would_never_end(city, people):
    endless = Endless(people)
    # A process that a shell has started in the background ignores Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            city.cloak(endless)
    finally:
        signal.signal(signal.SIGINT, before)
    assert endless.read >= 3


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


def test_progress_is_reported_if_tqdm_is_there(city, people, monkeypatch):
    import tqdm.auto

    stages = []

    class Bar:
        def __init__(self, desc, total, leave):
            stages.append(desc)

        def refresh(self):
            pass

        close = refresh

    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    # The stream goes on until a report has arrived.
    batch = pa.table(people).combine_chunks().to_batches()[0]

    def batches():
        for _ in range(100_000):
            yield batch
            if stages:
                return

    city.cloak(pa.RecordBatchReader.from_batches(batch.schema, batches()))
    assert "cloaking" in stages


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
