"""A local Ray of two processors, for the tests of a file."""
import contextlib
import os
import signal
import threading
import time

import paimon_c
import pytest


@pytest.fixture(scope="module")
def ray_cluster():
    pytest.importorskip("ray.data")
    import ray

    # Workers find what the driver found: by the environment that the cluster is started in, since each runtime_env makes new workers.
    path = os.pathsep.join([os.path.dirname(os.path.dirname(paimon_c.__file__)), os.path.dirname(__file__)] + os.environ.get("PYTHONPATH", "").split(os.pathsep))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path.rstrip(os.pathsep))
        ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def data_files(table):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(table.path) for name in names if name.startswith("data-"))


# ---- death from outside ----


def kill(pids):
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def wait_to_be_killed(path):
    """In a worker."""
    with open(path + ".new", "w") as f:
        f.write(str(os.getpid()))
    os.rename(path + ".new", path)
    time.sleep(120)
    raise TimeoutError("nobody came")


@contextlib.contextmanager
def killer(path):
    """Kills the process that waits for it."""
    over = threading.Event()

    def watch():
        while not over.wait(0.02):
            if os.path.exists(path):
                with open(path) as f:
                    kill([int(f.read())])
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
