#!/usr/bin/env python3
"""The Python package for the tests: make a virtual environment, build the package out of its own source distribution, install it.

    package.py --venv DIR --packages-only            the environment alone (what tools/setup.sh --tests does)
    package.py --venv DIR --build DIR --project DIR   and the package, built in a folder that is kept, so that later builds are short
    package.py --venv DIR --run ARGS...               run the environment's Python, if all that was made

Without a network there is no environment: that is said aloud (SKIPPED), and the tests that need it say so in turn.
"""
import argparse
import fcntl
import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import shared_material  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--venv", required=True)
    parser.add_argument("--packages-only", action="store_true")
    parser.add_argument("--build")
    parser.add_argument("--project")
    parser.add_argument("--run", nargs=argparse.REMAINDER)
    a = parser.parse_args()
    venv = os.path.abspath(a.venv)
    python = os.path.join(venv, "bin", "python")
    if a.run is not None:
        if not os.path.exists(os.path.join(venv, "installed")):
            shared_material.skip("the Python package was not built and installed")
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        os.execv(python, [python] + a.run)
    os.makedirs(os.path.dirname(venv), exist_ok=True)
    with open(venv + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make_environment(venv, python)
        if not a.packages_only:
            install_package(venv, python, os.path.abspath(a.build), os.path.abspath(a.project))


def make_environment(venv, python):
    wanted = "".join(open(os.path.join(HERE, name)).read() for name in ("requirements.txt", "requirements-engines.txt"))
    complete = os.path.join(venv, "complete")
    if os.path.exists(complete) and open(complete).read() == wanted:
        return
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", venv], capture_output=True, text=True)
    if made.returncode == 0:
        made = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", os.path.join(HERE, "requirements.txt")],
                              capture_output=True, text=True)
    if made.returncode != 0:
        last = (made.stderr.strip() or made.stdout.strip() or "?").splitlines()[-1]
        shared_material.skip("the packages for the Python tests cannot be installed: " + last[:200])
    # Engines are large and late for new Pythons: without one, its tests alone are skipped.
    engines = [line for line in open(os.path.join(HERE, "requirements-engines.txt")).read().split("\n") if line and not line.startswith("#")]
    for engine in engines:
        if subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *engine.split()], capture_output=True).returncode != 0:
            print("SKIPPED: %s cannot be installed, so its tests are not run" % engine)
    with open(complete, "w") as f:
        f.write(wanted)


def install_package(venv, python, build, project):
    """Project -> source distribution -> wheel -> environment; each step sees only what the step before made."""
    installed = os.path.join(venv, "installed")
    if os.path.exists(installed):
        os.remove(installed)
    out = os.path.join(build, "out")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    run([python, "-c", "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])", out], cwd=project)
    (archive,) = glob.glob(os.path.join(out, "*.tar.gz"))
    source, fresh = os.path.join(build, "source"), os.path.join(build, "fresh")
    shutil.rmtree(fresh, ignore_errors=True)
    with tarfile.open(archive) as tar:
        names = tar.getnames()
        tar.extractall(fresh, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    check_source(names)
    date_by_content(fresh, source)
    shutil.rmtree(source, ignore_errors=True)
    os.rename(fresh, source)
    (top,) = os.listdir(source)
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    run(pip + ["wheel", os.path.join(source, top), "--no-build-isolation", "--no-deps", "--no-index", "-w", out,
               "-C", "build-dir=" + os.path.join(build, "cmake")])
    (wheel,) = glob.glob(os.path.join(out, "*.whl"))
    if not re.search(r"-cp39-abi3-", os.path.basename(wheel)):
        sys.exit("not a wheel for every Python since 3.9: " + wheel)
    run(pip + ["install", "-q", "--no-deps", "--no-index", "--force-reinstall", wheel])
    with open(installed, "w") as f:
        f.write(os.path.basename(wheel) + "\n")
    print("built %s (%d bytes) out of %s (%d files) and installed it" % (os.path.basename(wheel), os.path.getsize(wheel),
                                                                       os.path.basename(archive), len(names)))


def date_by_content(fresh, source):
    """Files in a source distribution all have one date: what has changed since the last build must look newer than what that one made."""
    for folder, _, names in os.walk(fresh):
        for name in names:
            path = os.path.join(folder, name)
            before = os.path.join(source, os.path.relpath(path, fresh))
            same = os.path.exists(before) and filecmp.cmp(path, before, shallow=False)
            date = os.stat(before).st_mtime_ns if same else time.time_ns()
            os.utime(path, ns=(date, date))


def check_source(names):
    """The source distribution has what a build needs, and not the tests' data."""
    inside = {n.partition("/")[2] for n in names}
    for needed in ("CMakeLists.txt", "pyproject.toml", "LICENSE", "NOTICE", "include/paimon-c/paimon.h", "src/base/pool.c", "bindings/python/src/capsule.c",
                   "bindings/python/paimon_c/py.typed", "PKG-INFO"):
        if needed not in inside:
            sys.exit("the source distribution lacks " + needed)
    for name in sorted(inside):
        if name.startswith(("tests/", "build/", ".git/")):
            sys.exit("the source distribution carries " + name)


def run(command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stdout[-6000:] + done.stderr[-6000:])
        sys.exit("failed: " + " ".join(command))


if __name__ == "__main__":
    main()
