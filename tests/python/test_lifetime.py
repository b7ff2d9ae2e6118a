"""Memory comes back; objects may go in any order, in any thread, at exit and in children."""
import gc
import multiprocessing
import subprocess
import sys
import textwrap

import paimon_c
import pyarrow as pa
import pytest
from conftest import EXAMPLE


@pytest.fixture
def own(env):
    return paimon_c.open_table(EXAMPLE, environment=env)


def started(env):
    """What is in use when the environment's pool has its threads, and nothing else is there."""
    paimon_c.open_table(EXAMPLE, environment=env).scan(threads=4).count()
    gc.collect()
    return env.memory().current


def test_the_account_is_empty_when_everything_is_gone(env, tmp_path):
    empty = started(env)
    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "BIGINT"), ("s", "STRING")]), environment=env)
    table.write(pa.table({"a": range(10000), "s": [str(i) for i in range(10000)]}))
    kept = table.to_arrow()
    plan, read = table.new_read_builder().new_scan().plan(), table.new_read_builder().with_filter("a < 5").new_read()
    splits = plan.splits()
    assert len(read.to_pylist(splits)) == 5
    assert env.memory().current > empty
    del table, plan, read, splits
    gc.collect()
    assert env.memory().current > empty  # the pyarrow table still holds its buffers
    assert kept.num_rows == 10000
    del kept
    gc.collect()
    assert env.memory().current == empty, env.memory()


def test_reading_again_and_again_takes_no_more_memory(own, env):
    def once():
        own.to_arrow()
        own.scan("region = 'EU'").to_pylist()
        list(own.new_read_builder().new_scan().plan())
        stream = own.scan(batch_rows=5).open()
        next(stream)
        del stream
        with pytest.raises(paimon_c.NotFoundError):
            own.scan("nothere = 1").count()
        own.snapshots()
        own.copy({"scan.snapshot-id": 1}).scan().count()

    once()
    gc.collect()
    first = env.memory().current
    for _ in range(30):
        once()
    gc.collect()
    assert env.memory().current == first


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc")
def test_the_process_does_not_grow(own):
    def once():
        for batch in own.scan().open():
            pa.record_batch(batch)
            batch.__arrow_c_array__()
        own.schema().__arrow_c_schema__()
        with pytest.raises(paimon_c.InvalidError):
            paimon_c.Predicate.parse("a = ")

    for _ in range(200):
        once()
    gc.collect()
    before = resident()
    for _ in range(2000):
        once()
    gc.collect()
    assert resident() - before < 3000000


def test_cycles_are_collected(env):
    empty = started(env)
    for _ in range(5):
        table = paimon_c.open_table(EXAMPLE, environment=env)
        stream = table.scan().open()
        batch = next(stream)
        holder = {"table": table, "stream": stream, "batch": batch}
        holder["itself"] = holder
        stream.holder = holder
        del table, stream, batch, holder
    gc.collect()
    assert env.memory().current == empty


def test_objects_go_in_any_order(env):
    import itertools

    empty = started(env)
    for order in itertools.permutations(range(5)):
        table = paimon_c.open_table(EXAMPLE, environment=env)
        plan = table.scan().plan()
        objects = [table, plan, plan.splits(), table.scan().read(), table.scan().open()]
        next(objects[4])
        del table, plan
        for i in order:
            objects[i] = None
    del objects
    gc.collect()
    assert env.memory().current == empty


def run(code, *args, timeout=60):
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code), *args], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


LIVE = """
    import sys, threading, time
    sys.path.insert(0, {tests!r})
    import paimon_c, pyarrow as pa
    from slow_files import LocalFiles, File
    class Slow(LocalFiles):
        def open_read(self, path, size):
            if path.endswith(".parquet"):
                time.sleep(0.05)
            return super().open_read(path, size)
    env = paimon_c.Environment(log=lambda level, text: None, log_level=4)
    env.register("slow", Slow())
    table = paimon_c.open_table("slow:" + {path!r}, environment=env)
    def read():
        try:
            for batch in table.scan(batch_rows=1, threads=4).open():
                time.sleep(0.01)
        except paimon_c.CancelledError:  # the interpreter is exiting
            pass
"""


@pytest.mark.parametrize("tail", [
    "stream = table.scan(batch_rows=1, threads=4).open(); next(stream)",
    "stream = table.scan(batch_rows=1, threads=4).open(); next(stream); cycle = [stream, table]; cycle.append(cycle)",
    "reader = table.scan(batch_rows=1, threads=4).to_arrow_batch_reader(); reader.read_next_batch()",
    "write = table.new_batch_write_builder().new_write(); commit = table.new_batch_write_builder().new_commit()",
    "threading.Thread(target=read, daemon=True).start(); time.sleep(0.02)",
    "threading.Thread(target=read, daemon=True).start(); time.sleep(0.12)",
    "import builtins; builtins.kept = [table, table.scan().open(), table.scan().plan()]",
    "sys.exit(0) if table.scan(threads=4).open() else None",
], ids=["stream", "cycle", "pyarrow reader", "writer", "thread waiting", "thread reading", "builtins", "sys.exit"])
def test_the_interpreter_exits_with_live_objects(tail, tmp_path):
    import os
    import shutil

    copy = tmp_path / "orders"
    shutil.copytree(EXAMPLE, copy)
    for _ in range(3):
        out = run(LIVE.format(tests=os.path.dirname(os.path.abspath(__file__)), path=str(copy)) + "    " + tail + "\n")
        assert "rror" not in out, out


def read_in_child(path, kept, queue):
    table = kept if kept is not None else paimon_c.open_table(path)
    queue.put((table.scan(threads=4).count(), len(paimon_c.open_table(path).scan("region = 'EU'", threads=4).to_pylist())))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_read_too(method):
    context = multiprocessing.get_context(method)
    table = paimon_c.open_table(EXAMPLE)
    table.scan(threads=4).count()  # the pool has threads now, which a forked child lacks
    expected = (60, table.scan("region = 'EU'").count())
    queue = context.Queue()
    children = [context.Process(target=read_in_child, args=(EXAMPLE, table, queue)) for _ in range(3)]
    for c in children:
        c.start()
    assert [queue.get(timeout=60) for _ in children] == [expected] * 3
    for c in children:
        c.join(60)
        assert c.exitcode == 0
    assert table.scan(threads=4).count() == 60


def test_a_child_forked_while_a_file_system_in_python_works(tmp_path):
    """Threads of the parent are inside of callbacks when the child is made; it reads and exits all the same."""
    import os

    out = run(LIVE.format(tests=os.path.dirname(os.path.abspath(__file__)), path=EXAMPLE) + """
    import os
    t = threading.Thread(target=read)
    t.start()
    for i in range(8):
        time.sleep(0.013)
        child = os.fork()
        if child == 0:
            own = paimon_c.Environment()
            own.register("slow", LocalFiles())
            sys.exit(0 if paimon_c.open_table("slow:" + %r, environment=own).scan(threads=4).count() == 60 else 5)
        started = time.time()
        assert os.waitpid(child, 0)[1] == 0 and time.time() - started < 4
    t.join()
    print("done")
    """ % EXAMPLE)
    assert "done" in out, out


def test_a_process_pool_reads(tmp_path):
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(count_rows, [EXAMPLE] * 4)) == [60] * 4


def count_rows(path):
    return paimon_c.open_table(path).scan().count()


def test_a_forked_child_leaves_the_writers_files_alone(tmp_path):
    import os

    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "BIGINT")], options={"bucket": "-1", "target-file-size": "16 kb"}))
    builder, rows = table.new_batch_write_builder(), pa.table({"a": range(100000)})
    write, commit = builder.new_write(), builder.new_commit()
    write.write_arrow(rows)
    child = os.fork()
    if child == 0:
        refused = 0
        for attempt in (lambda: write.write_arrow(rows), write.prepare_commit, commit.truncate_table):
            try:
                attempt()
            except paimon_c.StateError:
                refused += 1
        write.close()
        commit.close()
        gc.collect()
        os._exit(refused)
    assert os.waitpid(child, 0)[1] >> 8 == 3
    commit.commit(write.prepare_commit())
    assert table.scan().count() == 100000


def test_the_same_messages_are_committed_once(tmp_path):
    table = paimon_c.create_table(tmp_path / "t", paimon_c.Schema([("a", "BIGINT")]))
    builder = table.new_batch_write_builder()
    with builder.new_write() as write, builder.new_commit() as commit:
        write.write_arrow(pa.table({"a": [1, 2]}))
        messages = write.prepare_commit()
        commit.commit(messages)
        with pytest.raises(paimon_c.ConflictError):
            commit.commit(messages)
        with pytest.raises(paimon_c.ConflictError), builder.new_commit() as another:
            another.commit(messages)
        write.write_arrow(pa.table({"a": [3]}))  # a message that went as bytes, and then with its list
        messages = write.prepare_commit()
        commit.commit([paimon_c.CommitMessage.from_bytes(messages[0].to_bytes())])
        with pytest.raises(paimon_c.ConflictError):
            commit.commit(messages)
    assert table.scan().count() == 3
