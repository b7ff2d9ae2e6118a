"""A local Ray of two processors, for the tests of a file."""
import os

import paimon_c
import pytest


@pytest.fixture(scope="module")
def ray_cluster():
    pytest.importorskip("ray.data")
    import ray

    # Workers find what the driver found.
    path = os.pathsep.join([os.path.dirname(os.path.dirname(paimon_c.__file__)), os.path.dirname(__file__)] + os.environ.get("PYTHONPATH", "").split(os.pathsep))
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, logging_level="ERROR", log_to_driver=False,
             runtime_env={"env_vars": {"PYTHONPATH": path.rstrip(os.pathsep)}})
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def data_files(table):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(table.path) for name in names if name.startswith("data-"))
